#include "cpu/order/repeats.hpp"

#include <algorithm>
#include <atomic>

#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

constexpr uint64_t kBits = 64;

// Sets the bits of some tuples. Returns whether one of them was already set.
template <class O>
bool mark(std::span<const O> offsets, uint64_t* words) {
  uint64_t repeated = 0;
  for (const O offset : offsets) {
    if (offset == kNoSlice<O>) continue;
    uint64_t& word = words[offset / kBits];
    const uint64_t bit = uint64_t{1} << (offset % kBits);
    repeated |= word & bit;
    word |= bit;
  }
  return repeated != 0;
}

}  // namespace

bool pays_by_bits(uint64_t span, uint64_t tuples) {
  return span / tuples <= static_cast<uint64_t>(tuning().repeat_bits);
}

// Each thread takes some of the tuples and has its own bits, which are compared at the end.
template <class O>
bool has_repeats(std::span<const O> offsets, uint64_t span) {
  const auto n = static_cast<int64_t>(offsets.size());
  const auto words = static_cast<int64_t>(span / kBits + 1);
  const int64_t parts = count_parts(n, std::max(grain_for(sizeof(O)), words), num_threads());
  if (parts == 0) return false;
  const Buffer<uint64_t> tables(static_cast<size_t>(parts * words));
  std::atomic<bool> found = false;
  parallel_parts(parts, [&](int64_t p) {
    uint64_t* const own = tables.data() + p * words;
    std::fill_n(own, words, 0);
    const auto begin = static_cast<size_t>(begin_of_part(n, p, parts));
    const auto end = static_cast<size_t>(begin_of_part(n, p + 1, parts));
    if (mark(offsets.subspan(begin, end - begin), own)) found = true;
  });
  if (found || parts == 1) return found;
  parallel_for(words, grain_for(parts * int64_t{sizeof(uint64_t)}), 1,
               [&](int64_t begin, int64_t end) {
                 uint64_t repeated = 0;
                 for (int64_t w = begin; w < end; ++w) {
                   uint64_t seen = 0;
                   for (int64_t p = 0; p < parts; ++p) {
                     const uint64_t word = tables.data()[p * words + w];
                     repeated |= seen & word;
                     seen |= word;
                   }
                 }
                 if (repeated != 0) found = true;
               });
  return found;
}

template bool has_repeats(std::span<const uint32_t>, uint64_t);
template bool has_repeats(std::span<const uint64_t>, uint64_t);

}  // namespace gathernd
