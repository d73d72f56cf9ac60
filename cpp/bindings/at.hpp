// gathernd.at for NumPy arrays, with parsed options.
#pragma once

#include <optional>

#include "numpy.hpp"
#include "selection.hpp"

namespace gathernd::bindings {

// Returns `out`, or a new array if it is None. options.fresh_output is set accordingly.
// `fill_value` is for mode "fill".
py::array get_at(const py::array& x, const Selection& selection,
                 const std::optional<py::array>& fill_value, const py::object& out,
                 GatherOptions options);

// `input`: the contents of `output` before the updates; null if `output` already has them.
void update_at(const py::array* input, const py::array& output, const Selection& selection,
               const py::array& updates, const ScatterOptions& options);

// gathernd.at as a built-in function. The methods of the classes that it returns become built-in,
// too, as far as they are called often. `classify` is Selection's; `defaults` are the options of
// an At that was given none.
py::object make_at_entry(const py::function& python, const py::type& at, const py::type& indexed,
                         const py::function& classify, const py::tuple& defaults);

}  // namespace gathernd::bindings
