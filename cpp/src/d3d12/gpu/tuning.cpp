#include "d3d12/gpu/tuning.hpp"

namespace gathernd::d3d12 {
namespace {

constinit Tuning current;

}  // namespace

const Tuning& tuning() { return current; }

void set_tuning(const Tuning& values) { current = values; }

}  // namespace gathernd::d3d12
