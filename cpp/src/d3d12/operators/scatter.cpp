#include <algorithm>
#include <string>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/reduce.hpp"
#include "d3d12/operators/set.hpp"
#include "d3d12/operators/unordered.hpp"

namespace gathernd::d3d12 {
namespace {

// Throws DuplicateError if a slice is addressed twice. Called before anything is written.
void check_unique(Setter& setter, const Plan& plan, const std::vector<Window>& windows) {
  uint32_t first = kNone, second = kNone;
  for (const Window& window : windows) {
    if (window.first_byte != 0) continue;
    setter.find_winners(window);
    uint32_t other = kNone;
    const uint32_t found = setter.find_duplicate(window, &other);
    if (found < second) {
      first = other;
      second = found;
    }
  }
  if (second != kNone) throw_duplicate(plan, first, second);
}

}  // namespace

void check_supported(const Plan& plan) {
  const Kind kind = plan.dtype.kind;
  if (plan.reduction != Reduction::kNone && !has_shaders(kind, plan.reduction)) {
    throw Error(ErrorKind::kType, std::string("scatter_nd: reduction \"") + name(plan.reduction) +
                                      "\" of " + name(kind) +
                                      " is not supported on a D3D12 device");
  }
}

void copy_source(Gpu& gpu, const Operands& operands) {
  const uint64_t bytes = std::min(operands.table->size(), operands.source->size());
  copy(gpu, *operands.table, *operands.source, bytes);
}

bool copies_on_the_way(Gpu& gpu, const Operands& operands, uint32_t unit_bytes, size_t windows) {
  if (operands.source == nullptr) return false;
  if (unit_bytes % 4 == 0 || windows == 1) return true;
  copy_source(gpu, operands);
  return false;
}

Resolver scatter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  const Geometry g = make_geometry(plan);
  if (g.tuples >= kNone && g.row_bytes != 0) {
    throw LimitError("[d3d12] scatter_nd takes fewer than 2**32 - 1 tuples");
  }
  if (const auto atomics = atomics_for(plan, g, operands)) {
    return scatter_unordered(gpu, memory, plan, operands, *atomics);
  }
  if (plan.reduction != Reduction::kNone) return reduce(gpu, memory, plan, operands);
  constexpr size_t kCounters = 1;  // the first duplicate
  const Unit unit = unit_for(g.row_bytes);
  Resolver resolver(gpu, memory, plan, operands.indices, make_chunks(g, unit.max_bytes), kCounters);
  const auto windows = make_windows(g, unit.max_bytes);
  Setter setter(gpu, memory, plan, operands, resolver, unit, windows);
  if (plan.duplicates == Duplicates::kError) check_unique(setter, plan, windows);
  const bool undivided = windows.size() == 1 && resolver.chunks().size() == 1;
  if (operands.in_place && !undivided) resolver.read_status();  // also allocates what it needs
  const bool copies = copies_on_the_way(gpu, operands, unit.bytes, windows.size());
  if (operands.in_place) gpu.interrupt().hold();
  for (const Window& window : windows) {
    setter.find_winners(window);
    setter.write(window, copies);
  }
  return resolver;
}

}  // namespace gathernd::d3d12
