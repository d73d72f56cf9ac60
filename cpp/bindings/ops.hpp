// The two functions for NumPy arrays, with parsed options.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

// Whether all arrays are so small that a CPU call ends before another thread could use the GIL.
template <class... Views>
bool are_brief(const Views&... views) {
  constexpr double kBytes = 2048;
  return (... && (views.bytes() < kBytes));
}

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
