// What shaders take, in the nanoseconds of Cost. They were measured on Mesa 22.3's lavapipe, by the
// time of all its threads; a little more is better than a little less.
#pragma once

#include "d3d12/gpu/pace.hpp"

namespace gathernd::d3d12::costs {

inline constexpr double kGroup = 80e3;   // up to 1024 tuples that meet in groupshared memory
inline constexpr double kIndex = 10;     // one is read and checked; or a slot is read
inline constexpr double kWrap = 600;     // the same with a division of 64 bits
inline constexpr double kUnit = 12;      // one is moved, of any size
inline constexpr double kItem = 60;      // one goes by an atomic
inline constexpr double kRow = 50;       // its tuples are looked for
inline constexpr double kListed = 100;   // one of them is found
inline constexpr double kBlock = 250e3;  // of keys that are sorted
inline constexpr double kScan = 5;       // a digit's count
// A step of a reduction: of integers, orders, or float32; and the dearer ones. A product of two
// complex numbers is dearer by its size.
inline constexpr double kStep = 100;
inline constexpr double kDoubleStep = 300;
inline constexpr double kComplexStep = 800;

}  // namespace gathernd::d3d12::costs
