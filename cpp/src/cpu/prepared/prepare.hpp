// Tuples that an IndexPlan keeps for calls on the CPU.
#pragma once

#include <memory>

#include "gathernd/backend.hpp"

namespace gathernd {

// O: the type of the packed table's offsets; a call may need wider ones.
template <class O>
std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices);

}  // namespace gathernd
