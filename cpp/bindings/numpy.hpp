// NumPy arrays as tensors. Converts, decides nothing.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>

#include "gathernd/gathernd.hpp"
#include "gil.hpp"

namespace gathernd::bindings {

namespace py = pybind11;

// TypeError for dtypes with objects or variable-width strings; `what` names the argument.
DType to_dtype(const py::dtype& dtype, const char* op, const char* what);

// A view of an array, which must outlive it. Its shape and strides are its own: another thread may
// give the array others.
class ArrayView {
 public:
  ArrayView(const py::array& array, const char* op, const char* what);
  ArrayView(const py::array& array, Operator op, const char* what)
      : ArrayView(array, name(op), what) {}
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  Dims shape_, strides_;
  Tensor tensor_;
};

// The bytes of an element, apart from the array that gave them, which may be a view of a result.
class FillValue {
 public:
  explicit FillValue(const std::optional<py::array>& value);
  const std::byte* data() const { return bytes_.get(); }  // null: there is none

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

// TypeError naming the conversion where the two differ.
void check_updates_dtype(const py::dtype& updates, const py::dtype& input);

// The same for updates, whose dtype must be the input's: TypeError.
ArrayView to_updates(const py::array& updates, const py::dtype& dtype);

// The ndarray itself, if it can be written to: TypeError or ValueError otherwise.
py::array check_out(const py::object& out, const py::dtype& dtype, const char* op);

// An uninitialised C-contiguous array.
py::array make_array(const py::dtype& dtype, std::span<const int64_t> shape);

// A NumPy view of an object's __dlpack__ memory, which must be the CPU's; `what` begins messages.
py::array from_dlpack(const py::object& object, const std::string& what);

// The backend of device `index`, opened; below 0 null: the CPU's.
Backend* find_backend(int index);

void bind_ops(py::module_& m);
void bind_dml(py::module_& m);
void bind_devices(py::module_& m);
void bind_index_plan(py::module_& m);

}  // namespace gathernd::bindings
