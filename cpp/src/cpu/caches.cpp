#include "cpu/caches.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace gathernd {
namespace {

// Bytes of a core's second-level cache, by a low guess where the system does not tell.
uint64_t core_cache() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  if (const long size = sysconf(_SC_LEVEL2_CACHE_SIZE); size > 0)
    return static_cast<uint64_t>(size);
#endif
  return uint64_t{1} << 19;
}

}  // namespace

bool fits_cache(const Plan& plan, uint64_t halves) {
  static const uint64_t half = core_cache() / 2;
  return plan.span <= half * halves / static_cast<uint64_t>(plan.scale);
}

}  // namespace gathernd
