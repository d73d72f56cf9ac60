// The two functions on NumPy arrays, with parsed options.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

// `out`: an array, or null for a new one, which is returned; options.fresh_output follows from it.
// `fill_value`: for mode "fill".
py::array gather(const py::array& input, const py::array& indices,
                 const std::optional<py::array>& fill_value, const py::object& out,
                 GatherOptions options);

py::array scatter(const py::array& input, const py::array& indices, const py::array& updates,
                  const py::object& out, ScatterOptions options);

// A function of CPython's own kind, without an argument that is converted or a Python frame, for
// calls of plain arrays on the CPU. Everything else goes to `python`, the function that it has its
// name, signature and documentation from.
py::object make_gather_entry(const py::function& python);
py::object make_scatter_entry(const py::function& python);

}  // namespace gathernd::bindings
