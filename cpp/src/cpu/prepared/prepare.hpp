// Tuples that an IndexPlan keeps for calls on the CPU.
#pragma once

#include <memory>

#include "gathernd/backend.hpp"

namespace gathernd {

// Offsets have the width that the packed table needs; a call may need wider ones.
std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices);

}  // namespace gathernd
