// The SIMD targets. Files that are compiled once per target include this first.
#pragma once

// Disabled on x86-64: SSSE3, because no machine stops there, and the variants of AVX-512, because
// the code is the same. The numbers are HWY_SSSE3, HWY_AVX3_DL, HWY_AVX3_ZEN4 and HWY_AVX3_SPR,
// which not every release of Highway names. Disabled on ARM and RISC-V: SVE and RVV, because C++
// has no arrays of their vectors. NEON and plain loops stay.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                            \
  ((1LL << 12) | (1LL << 7) | (1LL << 6) | (1LL << 4) | \
   (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV))
#endif

#include <iterator>

#include "hwy/targets.h"

namespace gathernd {

// The entry of one target in a HWY_DISPATCH_TABLE, without touching Highway's process-wide choice.
template <class Table>
auto entry_of(const Table& table, int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return table[std::size(table) == 1 ? 0 : chosen.GetIndex()];
}

}  // namespace gathernd
