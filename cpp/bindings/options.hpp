// Options as Python gives them.
#pragma once

#include <span>

#include "numpy.hpp"

namespace gathernd::bindings {

// The modes that each function allows. parse_mode throws ValueError, which lists them, for others.
inline constexpr Mode kGatherModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill};
inline constexpr Mode kScatterModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop};
inline constexpr Mode kAllModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill,
                                     Mode::kDrop};

Mode parse_mode(Operator op, const py::object& given, std::span<const Mode> allowed);
Reduction parse_reduction(Operator op, const py::object& given);
Duplicates parse_duplicates(Operator op, const py::object& given);

// Accepts True and False, also NumPy's. Throws TypeError for anything else.
bool parse_wrap_negative_indices(Operator op, const py::object& given);

// Accepts any integer except a bool. Throws TypeError for anything else, and ValueError if it does
// not fit 64 bits.
int64_t parse_batch_dims(Operator op, const py::object& given);

}  // namespace gathernd::bindings
