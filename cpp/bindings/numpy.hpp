// NumPy arrays as tensors. Converts, decides nothing.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "gathernd/gathernd.hpp"

namespace gathernd::bindings {

namespace py = pybind11;

// TypeError for dtypes with objects or variable-width strings; `what` names the argument.
DType to_dtype(const py::dtype& dtype, const char* op, const char* what);

// A view of the array, which must outlive it.
Tensor to_tensor(const py::array& array, const char* op, const char* what);
inline Tensor to_tensor(const py::array& array, Operator op, const char* what) {
  return to_tensor(array, name(op), what);
}

// TypeError naming the conversion where the two differ.
void check_updates_dtype(const py::dtype& updates, const py::dtype& input);

// The same for updates, whose dtype must be the input's: TypeError.
Tensor to_updates(const py::array& updates, const py::dtype& dtype);

// The ndarray itself, if it can be written to: TypeError or ValueError otherwise.
py::array check_out(const py::object& out, const py::dtype& dtype, Operator op);

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
