#include "runtime/parallel_for.hpp"

#include <algorithm>

#include "runtime/pool.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

void parallel_parts(int64_t parts, FunctionRef<void(int64_t)> f) {
  const int64_t threads = std::min<int64_t>(parts, num_threads());
  Pool* const shared = threads > 1 ? pool() : nullptr;
  if (shared != nullptr && shared->try_run(parts, static_cast<size_t>(threads) - 1, f)) return;
  for (int64_t part = 0; part < parts; ++part) f(part);
}

int64_t count_parts(int64_t n, int64_t grain, int64_t limit) {
  return std::min({n, std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1), limit});
}

int64_t begin_of_part(int64_t n, int64_t part, int64_t parts) {
  return n / parts * part + std::min(part, n % parts);
}

void parallel_for(int64_t n, int64_t grain, int64_t step, FunctionRef<void(int64_t, int64_t)> f) {
  // Threads pay off from two grains on. Ranges are smaller than a grain, so that a slow thread does
  // not keep the others waiting.
  constexpr int64_t kRangesPerGrain = 8;
  const int64_t limit = num_threads() == 1 || n / 2 < grain ? 1 : num_threads() * kRangesPerThread;
  const int64_t steps = n / step + (n % step != 0);
  const int64_t parts = std::min(steps, count_parts(n, grain / kRangesPerGrain, limit));
  if (parts <= 1) {
    if (n > 0) f(0, n);
    return;
  }
  parallel_parts(parts, [&](int64_t part) {
    // steps * part and steps * step may not fit 64 bits, because 0-stride tuples make any n
    // possible.
    const auto at = [&](int64_t p) {
      return p == parts ? n : begin_of_part(steps, p, parts) * step;
    };
    f(at(part), at(part + 1));
  });
}

}  // namespace gathernd
