#include "d3d12/memory/epoch_table.hpp"

#include "d3d12/memory/geometry.hpp"

namespace gathernd::d3d12 {

uint32_t EpochTable::begin(Gpu& gpu, uint32_t count) {
  if (count > kNone - most_) {
    clear(gpu, view(slots_), 0);
    most_ = tuning().epoch_start;
  }
  return std::exchange(most_, most_ + count);
}

}  // namespace gathernd::d3d12
