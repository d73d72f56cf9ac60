#include "d3d12/gpu/limits.hpp"

namespace gathernd::d3d12 {

Limits& limits() {
  static Limits result;
  return result;
}

}  // namespace gathernd::d3d12
