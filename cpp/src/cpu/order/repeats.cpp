#include "cpu/order/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

constexpr uint64_t kBits = 64;

template <class O>
void set_bit(O offset, uint64_t* words) {
  words[offset / kBits] |= uint64_t{1} << (offset % kBits);
}

// Sets the bits of some tuples. Returns how many of them address a slice.
template <class O>
int64_t mark(std::span<const O> offsets, uint64_t* words) {
  constexpr size_t kStep = 8;  // a loop that compilers unroll takes a third less time
  int64_t marked = 0;
  size_t i = 0;
  for (; i + kStep <= offsets.size(); i += kStep) {
    const auto step = offsets.subspan(i).template first<kStep>();
    const auto holes = std::ranges::count(step, kNoSlice<O>);
    if (holes != 0) {
      for (const O offset : step) {
        if (offset != kNoSlice<O>) set_bit(offset, words);
      }
    } else {
      for (size_t k = 0; k < kStep; ++k) set_bit(step[k], words);
    }
    marked += int64_t{kStep} - holes;
  }
  for (; i < offsets.size(); ++i) {
    if (offsets[i] == kNoSlice<O>) continue;
    set_bit(offsets[i], words);
    ++marked;
  }
  return marked;
}

}  // namespace

bool pays_by_bits(uint64_t span, uint64_t tuples) {
  return span / tuples <= static_cast<uint64_t>(tuning().repeat_bits);
}

// Each thread takes some of the tuples and has its own bits. A slice repeats if fewer bits are set
// at the end than tuples address a slice. Looking at each bit before it is set would take longer.
template <class O>
bool has_repeats(std::span<const O> offsets, uint64_t span) {
  const auto n = static_cast<int64_t>(offsets.size());
  const auto words = static_cast<int64_t>(span / kBits + 1);
  const int64_t parts = count_parts(n, std::max(grain_for(sizeof(O)), words), num_threads());
  if (parts == 0) return false;
  const Buffer<uint64_t> tables(static_cast<size_t>(parts * words));
  std::atomic<int64_t> marked = 0, set = 0;
  parallel_parts(parts, [&](int64_t p) {
    uint64_t* const own = tables.data() + p * words;
    std::fill_n(own, words, 0);
    const auto begin = static_cast<size_t>(begin_of_part(n, p, parts));
    const auto end = static_cast<size_t>(begin_of_part(n, p + 1, parts));
    marked += mark(offsets.subspan(begin, end - begin), own);
  });
  parallel_for(words, grain_for(parts * int64_t{sizeof(uint64_t)}), 1,
               [&](int64_t begin, int64_t end) {
                 int64_t count = 0;
                 for (int64_t w = begin; w < end; ++w) {
                   uint64_t word = 0;
                   for (int64_t p = 0; p < parts; ++p) word |= tables.data()[p * words + w];
                   count += std::popcount(word);
                 }
                 set += count;
               });
  return set != marked;
}

template bool has_repeats(std::span<const uint32_t>, uint64_t);
template bool has_repeats(std::span<const uint64_t>, uint64_t);

}  // namespace gathernd
