#include "ops/true_positions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/layout.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

constexpr int64_t kWord = 64;                       // elements
constexpr int64_t kWords = 64;                      // of a block
constexpr int64_t kBlockElements = kWord * kWords;  // one page

int64_t blocks_of(int64_t elements) {
  return elements / kBlockElements + static_cast<int64_t>(elements % kBlockElements != 0);
}

constexpr int64_t kBlockGrain = 16, kPositionGrain = 1 << 14;  // worth a thread

// Bit i: byte i is not 0.
uint64_t bits_of_bytes(const std::byte* bytes) {
  constexpr uint64_t kLow = 0x7F7F7F7F7F7F7F7F, kOnes = 0x0101010101010101;
  uint64_t v;
  std::memcpy(&v, bytes, sizeof v);
  const uint64_t set = (((v & kLow) + kLow) | v) >> 7 & kOnes;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  return set * (kLittle ? 0x0102040810204080 : 0x8040201008040201) >> 56;
}

// Copies the elements [first, first + n), each read once.
void load(const Tensor& mask, const Walk& walk, int64_t first, int64_t n, std::byte* to) {
  for_each_run(walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
    const std::byte* from = mask.data + offset;
    if (stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(count));
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
    }
    to += count;
  });
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

TruePositions::TruePositions(const Tensor& mask)
    : elements_(count_elements(mask.shape)),
      bits_(static_cast<size_t>(blocks_of(elements_) * kWords)),
      starts_(static_cast<size_t>(blocks_of(elements_)) + 1) {
  const Walk walk = make_walk(mask.shape, mask.strides);
  parallel_for(blocks_of(elements_), grain_or(kBlockGrain), 1, [&](int64_t begin, int64_t end) {
    std::byte bytes[kBlockElements];
    for (int64_t block = begin; block < end; ++block) {
      const int64_t n = std::min(kBlockElements, elements_ - block * kBlockElements);
      load(mask, walk, block * kBlockElements, n, bytes);
      std::fill(bytes + n, bytes + kBlockElements, std::byte{0});
      uint64_t* const words = bits_.data() + block * kWords;
      int64_t count = 0;
      for (int64_t w = 0; w < kWords; ++w) {
        uint64_t word = 0;
        for (int i = 0; i < 8; ++i) word |= bits_of_bytes(bytes + w * kWord + i * 8) << (8 * i);
        words[w] = word;
        count += std::popcount(word);
      }
      starts_[static_cast<size_t>(block) + 1] = count;
    }
  });
  for (size_t block = 1; block < starts_.size(); ++block) starts_[block] += starts_[block - 1];
}

template <class I>
void TruePositions::list(I* positions) const {
  parallel_for(blocks_of(elements_), grain_or(kBlockGrain), 1, [&](int64_t begin, int64_t end) {
    I* to = positions + starts_[static_cast<size_t>(begin)];
    for (int64_t w = begin * kWords; w < end * kWords; ++w) {
      const auto first = static_cast<I>(w * kWord);
      for (uint64_t word = bits_.data()[w]; word != 0; word &= word - 1) {
        *to++ = static_cast<I>(first + std::countr_zero(word));
      }
    }
  });
}

template <class I>
void list_coordinates(std::span<const int64_t> shape, std::span<const I> positions,
                      std::span<I* const> coordinates) {
  const size_t last = shape.size() - 1;
  const auto length = static_cast<I>(shape[last]);
  parallel_for(static_cast<int64_t>(positions.size()), grain_or(kPositionGrain), 1,
               [&](int64_t begin, int64_t end) {
                 I row = -1, first = 0;  // the last dimension's: its position among the others
                 I place[kMaxRank];
                 for (auto t = static_cast<size_t>(begin); t < static_cast<size_t>(end); ++t) {
                   const I position = positions[t];
                   if (row < 0 || position - first >= length) {
                     row = position / length;
                     first = static_cast<I>(row * length);
                     I rest = row;
                     for (size_t i = last; i-- > 0; rest = static_cast<I>(rest / shape[i])) {
                       place[i] = static_cast<I>(rest % shape[i]);
                     }
                   }
                   for (size_t i = 0; i < last; ++i) coordinates[i][t] = place[i];
                   coordinates[last][t] = position - first;
                 }
               });
}

template void TruePositions::list(int32_t*) const;
template void TruePositions::list(int64_t*) const;
template void list_coordinates(std::span<const int64_t>, std::span<const int32_t>,
                               std::span<int32_t* const>);
template void list_coordinates(std::span<const int64_t>, std::span<const int64_t>,
                               std::span<int64_t* const>);

}  // namespace gathernd
