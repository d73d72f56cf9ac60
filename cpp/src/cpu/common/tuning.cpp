#include "cpu/common/tuning.hpp"

namespace gathernd {
namespace {

constinit Tuning current;

}  // namespace

const Tuning& tuning() { return current; }

void set_tuning(const Tuning& values) { current = values; }

}  // namespace gathernd
