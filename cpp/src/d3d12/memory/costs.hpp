// What steps of the shaders cost, in the nanoseconds of Cost. Measured on Mesa 22.3's lavapipe as
// the time of all its threads. It is better to estimate a little too much than too little.
#pragma once

#include "d3d12/gpu/pace.hpp"

namespace gathernd::d3d12::costs {

inline constexpr double kGroup = 80e3;   // combine up to 1024 tuples in groupshared memory
inline constexpr double kIndex = 10;     // read and check an index, or read a slot
inline constexpr double kWrap = 600;     // the same with a 64-bit division
inline constexpr double kUnit = 12;      // move a unit of any size
inline constexpr double kItem = 60;      // apply an atomic to an item
inline constexpr double kRow = 50;       // look for the tuples of a row
inline constexpr double kListed = 100;   // find one of these tuples
inline constexpr double kBlock = 250e3;  // sort a block of keys
inline constexpr double kScan = 5;       // add the count of a digit
// One step of a reduction: of integers, minima and maxima, or float32; then the more expensive
// ones. The product of two complex numbers grows with their size.
inline constexpr double kStep = 100;
inline constexpr double kDoubleStep = 300;
inline constexpr double kComplexStep = 800;

}  // namespace gathernd::d3d12::costs
