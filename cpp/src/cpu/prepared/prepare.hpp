// Tuples that an IndexPlan keeps for calls on the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "gathernd/backend.hpp"

namespace gathernd {

// For how many calls. An order or winners are kept only for many.
enum class Uses : uint8_t { kOne, kMany };

// Offsets have the width that the packed table needs; a call may need wider ones.
std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices, Uses uses);

}  // namespace gathernd
