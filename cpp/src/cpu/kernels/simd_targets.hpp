// Which SIMD targets there are, for the files that are compiled once for each: include it first.
#pragma once

// x86-64: not SSSE3 (no machine stops there), nor the variants of AVX-512 (same code). These are
// HWY_SSSE3, HWY_AVX3_DL, HWY_AVX3_ZEN4 and HWY_AVX3_SPR, which not every release of Highway has.
// 64-bit ARM: NEON only, and RISC-V: plain loops, for there are no arrays of SVE's and RVV's
// vectors.
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
