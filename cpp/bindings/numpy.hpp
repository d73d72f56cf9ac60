// NumPy arrays as tensors. This converts and decides nothing.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gathernd/gathernd.hpp"
#include "gil.hpp"

namespace gathernd::bindings {

namespace py = pybind11;

// Throws TypeError for dtypes with objects or variable-width strings. `what` names the argument.
DType to_dtype(const py::dtype& dtype, const char* op, const char* what);

// The state of an array at one moment. Python code, in this thread or another, can change the
// array's shape, dtype or memory at any time. So the call uses only the view, and calls
// check_unchanged() after its last Python code. The array must outlive the view.
class ArrayView {
 public:
  ArrayView(const py::array& array, const char* op, const char* what);
  ArrayView(const py::array& array, Operator op, const char* what)
      : ArrayView(array, name(op), what) {}
  // Throws TypeError if the array does not have input's dtype.
  ArrayView(const py::array& array, const char* op, const char* what, const py::dtype& input);
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  const Tensor& tensor() const { return tensor_; }
  const py::dtype& dtype() const { return dtype_; }
  bool is_contiguous() const { return contiguous_; }
  double bytes() const;

  // Throws RuntimeError if the array has changed since.
  void check_unchanged() const;

 protected:
  // Throws ValueError if the array is read-only.
  void check_writeable() const;

  Tensor tensor_;

 private:
  void read();

  py::handle array_;
  const char* op_;
  const char* what_;
  py::dtype dtype_;
  Dims shape_, strides_;
  bool writeable_, contiguous_;
};

// An array that the call writes. Throws ValueError if it is read-only. `fresh`: the call made it,
// so it has no gaps between fields to keep.
class OutputView : public ArrayView {
 public:
  template <class... Input>
  OutputView(const py::array& array, bool fresh, const char* op, const char* what,
             const Input&... input)
      : ArrayView(array, op, what, input...) {
    check_writeable();
    if (!fresh) find_fields();
  }

 private:
  void find_fields();

  std::vector<ByteRun> fields_;
};

// Call this after the last Python code of a call.
template <class... Views>
void check_unchanged(const Views&... views) {
  (views.check_unchanged(), ...);
}

// A copy of one element's bytes, because the array that holds them may be a view of a result.
// Throws TypeError if its dtype is not `input`.
class FillValue {
 public:
  FillValue(const std::optional<py::array>& value, const py::dtype& input);
  const std::byte* data() const { return bytes_.get(); }  // null if there is no value

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

// Whether two dtypes are equal. NumPy compares them by field, and titles of fields by their __eq__.
bool is_same(const py::dtype& a, const py::dtype& b);

// Throws TypeError if the two differ.
void check_updates_dtype(const py::dtype& updates, const py::dtype& input);

py::tuple to_tuple(std::span<const int64_t> numbers);

// Returns `out` as an array. Throws TypeError if it is not an ndarray.
py::array to_out(const py::object& out, const std::string& op);

// A view of memory that `owner` keeps alive, in C order if no strides are given.
py::array view_memory(const py::dtype& dtype, std::span<const int64_t> shape,
                      const int64_t* strides, void* data, bool is_writable,
                      const py::object& owner);

// An uninitialised array, in C order if no strides are given or elements have no bytes.
py::array make_array(const py::dtype& dtype, std::span<const int64_t> shape,
                     const int64_t* strides = nullptr);

// An array like x, of its contents if it `copies`, else uninitialised; in C order if it does not
// keep the order of x's axes in memory.
py::array new_like(const py::array& x, bool keeps_order, bool copies);

// A NumPy view of an object's __dlpack__ memory, which the CPU must be able to read. `what` starts
// the messages.
py::array from_dlpack(const py::object& object, const std::string& what);

// Opens the device and returns its backend. "cpu": null. Throws if there is no such device.
Backend* open_backend(const std::string& device);

void bind_at(py::module_& m);
void bind_at_plan(py::module_& m);
void bind_chunks(py::module_& m);
void bind_ops(py::module_& m);
void bind_selection(py::module_& m);
void bind_dml(py::module_& m);
void bind_devices(py::module_& m);
void bind_index_plan(py::module_& m);
void bind_lists(py::module_& m);
void bind_winners(py::module_& m);

}  // namespace gathernd::bindings
