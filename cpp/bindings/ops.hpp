// The two functions for NumPy arrays, with parsed options.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

// Returns `out`, or a new array if it is None. options.fresh_output is set accordingly.
// `fill_value` is for mode "fill".
py::array gather(const py::array& input, const py::array& indices,
                 const std::optional<py::array>& fill_value, const py::object& out,
                 GatherOptions options);

py::array scatter(const py::array& input, const py::array& indices, const py::array& updates,
                  const py::object& out, ScatterOptions options);

// Makes a built-in function that runs CPU calls of plain arrays without a Python frame or converted
// arguments. It passes all other calls to `python`, and has its name, signature and documentation.
py::object make_gather_entry(const py::function& python);
py::object make_scatter_entry(const py::function& python);

}  // namespace gathernd::bindings
