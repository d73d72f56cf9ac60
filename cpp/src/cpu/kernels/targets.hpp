// The SIMD targets, and the one in use.
#pragma once

#include <span>
#include <string_view>

#include "cpu/kernels/gather_apart.hpp"
#include "cpu/kernels/kernels.hpp"

namespace gathernd {

struct Target {
  std::string_view name;
  Kernels kernels;
  ApartKernels apart;
};

// The targets that this machine can run, best first.
std::span<const Target> targets();

// The kernels of the target in use.
const Kernels& kernels();
const ApartKernels& apart_kernels();

// Reads the target from the environment if nothing has read it yet; a bad one throws.
void read_target();

}  // namespace gathernd
