// NumPy arrays as tensors. Converts, decides nothing.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>

#include "gathernd/gathernd.hpp"
#include "gil.hpp"

namespace gathernd::bindings {

namespace py = pybind11;

// TypeError for dtypes with objects or variable-width strings; `what` names the argument.
DType to_dtype(const py::dtype& dtype, const char* op, const char* what);

// What an array was at one moment. Python code, in this thread or in another that has the GIL, can
// give the array another shape, dtype or memory at any time: all that follows looks at the view
// alone, and check_unchanged() is asked when no more Python code will run. The array must outlive
// the view.
class ArrayView {
 public:
  ArrayView(const py::array& array, const char* op, const char* what);
  ArrayView(const py::array& array, Operator op, const char* what)
      : ArrayView(array, name(op), what) {}
  // An array that must have input's dtype: TypeError.
  ArrayView(const py::array& array, const char* op, const char* what, const py::dtype& input);
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  const Tensor& tensor() const { return tensor_; }
  const py::dtype& dtype() const { return dtype_; }
  bool is_contiguous() const { return contiguous_; }
  double bytes() const;

  // ValueError where the array is read-only.
  void check_writeable() const;
  // RuntimeError where the array is no longer what it was.
  void check_unchanged() const;

 private:
  void read();

  py::handle array_;
  const char* op_;
  const char* what_;
  py::dtype dtype_;
  Dims shape_, strides_;
  Tensor tensor_;
  bool writeable_, contiguous_;
};

// For the moment after the last Python code of a call.
template <class... Views>
void check_unchanged(const Views&... views) {
  (views.check_unchanged(), ...);
}

// The bytes of an element, apart from the array that gave them, which may be a view of a result.
// TypeError where it is not of dtype `input`.
class FillValue {
 public:
  FillValue(const std::optional<py::array>& value, const py::dtype& input);
  const std::byte* data() const { return bytes_.get(); }  // null: there is none

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

// Compares field by field, and the titles of fields by their own __eq__.
bool is_same(const py::dtype& a, const py::dtype& b);

// TypeError where the two differ.
void check_updates_dtype(const py::dtype& updates, const py::dtype& input);

// The ndarray itself: TypeError.
py::array to_out(const py::object& out, const std::string& op);

// A view of memory that `owner` keeps, read-only; without strides it is in C order.
py::array view_memory(const py::dtype& dtype, std::span<const int64_t> shape,
                      const int64_t* strides, const void* data, const py::object& owner);

// An uninitialised array, in C order if no strides are given. Of elements without bytes it is so in
// any case.
py::array make_array(const py::dtype& dtype, std::span<const int64_t> shape,
                     const int64_t* strides = nullptr);

// A NumPy view of an object's __dlpack__ memory, which must be the CPU's; `what` begins messages.
py::array from_dlpack(const py::object& object, const std::string& what);

// The backend of device `index`, opened; below 0 null: the CPU's.
Backend* find_backend(int index);

void bind_at(py::module_& m);
void bind_chunks(py::module_& m);
void bind_ops(py::module_& m);
void bind_selection(py::module_& m);
void bind_dml(py::module_& m);
void bind_devices(py::module_& m);
void bind_index_plan(py::module_& m);
void bind_lists(py::module_& m);
void bind_winners(py::module_& m);

}  // namespace gathernd::bindings
