// Picks the tuples that a thread writes. Included once per target by move_kernels.cpp.

#if defined(GATHERND_PARTITION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_PARTITION_INL_H_
#undef GATHERND_PARTITION_INL_H_
#else
#define GATHERND_PARTITION_INL_H_
#endif

#include <cstring>

#include "cpu/kernels/compress-inl.h"
#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/words.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is kept of tuple t beside its offset: its position, or its packed row. `store` keeps that of
// as many tuples as `keep` has lanes.
struct PlaceOf {
  uint32_t one(size_t t) const { return static_cast<uint32_t>(t); }
#if HWY_TARGET != HWY_SCALAR
  template <class D, class M>
  HWY_INLINE void store(D d, M keep, size_t t, uint32_t* to) const {
    hn::StoreU(CompressLanes(d, keep, hn::Iota(d, static_cast<uint32_t>(t))), d, to);
  }
#endif
};
template <class W>
struct WordOf {
  const std::byte* words;
  W one(size_t t) const {
    W word;
    std::memcpy(&word, words + t * sizeof(W), sizeof(W));
    return word;
  }
#if HWY_TARGET != HWY_SCALAR
  template <class D, class M>
  HWY_INLINE void store(D d, M keep, size_t t, W* to) const {
    if constexpr (sizeof(W) == 8) {
      const hn::Repartition<W, D> d_word;
      const size_t lanes = hn::Lanes(d_word);
      uint8_t bits[8];
      hn::StoreMaskBits(d, keep, bits);
      const auto low = static_cast<uint8_t>(bits[0] & ((size_t{1} << lanes) - 1));
      const auto high = static_cast<uint8_t>(lanes == 8 ? bits[1] : bits[0] >> lanes);
      hn::StoreU(CompressPairs(d_word, low, load(d_word, t)), d_word, to);
      hn::StoreU(CompressPairs(d_word, high, load(d_word, t + lanes)), d_word,
                 to + hwy::PopCount(low));
    } else {
      const hn::Rebind<W, D> d_word;
      const auto kept = CompressLanes(d, keep, Widen(d, load(d_word, t)));
      hn::StoreU(Narrow(d_word, kept), d_word, to);
    }
  }
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, size_t t) const {
    const hn::Repartition<uint8_t, D> d_byte;
    const auto* at = reinterpret_cast<const uint8_t*>(words + t * sizeof(W));
    FetchLater(at);
    return hn::BitCast(d, hn::LoadU(d_byte, at));
  }
#endif
};

// Moves the offsets in [low, high) to the front, and a W of each tuple with them.
template <class W, class O, class F>
size_t Compress(const O* offsets, size_t n, O low, O high, F of, O* kept, W* with) {
  size_t count = 0;
  size_t t = 0;
#if HWY_TARGET != HWY_SCALAR
  // With two lanes it is faster to store both than to move one to the front.
  if constexpr (sizeof(O) == 4 && hn::MaxLanes(hn::ScalableTag<W>()) > 2) {
    const hn::ScalableTag<uint32_t> d;
    const size_t lanes = hn::Lanes(d);
    const auto first = hn::Set(d, low);
    const auto size = hn::Set(d, high - low);
    for (; t + lanes <= n; t += lanes) {
      FetchLater(offsets + t);
      const auto v = hn::LoadU(d, offsets + t);
      const auto keep = hn::Lt(hn::Sub(v, first), size);
      hn::StoreU(CompressLanes(d, keep, v), d, kept + count);
      of.store(d, keep, t, with + count);
      count += hn::CountTrue(d, keep);
    }
  }
#endif
  for (; t < n; ++t) {
    kept[count] = offsets[t];
    with[count] = of.one(t);
    count += static_cast<O>(offsets[t] - low) < static_cast<O>(high - low);
  }
  return count;
}

template <class O>
size_t Partition(const O* offsets, size_t n, O low, O high, O* kept, uint32_t* positions) {
  return Compress(offsets, n, low, high, PlaceOf(), kept, positions);
}

template <class O>
size_t PartitionWords(const O* offsets, size_t n, O low, O high, const std::byte* words,
                      size_t bytes, O* kept, std::byte* kept_words) {
  return with_bits(static_cast<int64_t>(bytes), [&]<class W>(W) {
    return Compress(offsets, n, low, high, WordOf<W>{words}, kept,
                    reinterpret_cast<W*>(kept_words));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
