// Options as Python spells them.
#pragma once

#include <span>

#include "numpy.hpp"

namespace gathernd::bindings {

// ValueError that lists what is allowed.
inline constexpr Mode kGatherModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill};
inline constexpr Mode kScatterModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop};
inline constexpr Mode kAllModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill,
                                     Mode::kDrop};

Mode parse_mode(Operator op, const py::object& given, std::span<const Mode> allowed);
Reduction parse_reduction(Operator op, const py::object& given);
Duplicates parse_duplicates(Operator op, const py::object& given);

// True or False, NumPy's too: TypeError.
bool parse_wrap_negative_indices(Operator op, const py::object& given);

// Any integer but a bool: TypeError. ValueError where it does not fit 64 bits.
int64_t parse_batch_dims(Operator op, const py::object& given);

}  // namespace gathernd::bindings
