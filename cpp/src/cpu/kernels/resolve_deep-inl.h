// Resolves tuples of any depth, a vector of tuples at a time or two. Included once per target by
// resolve-inl.h.

#if defined(GATHERND_RESOLVE_DEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_DEEP_INL_H_
#undef GATHERND_RESOLVE_DEEP_INL_H_
#else
#define GATHERND_RESOLVE_DEEP_INL_H_
#endif

#include <atomic>

#include "cpu/kernels/resolve_index-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// How many components of a tuple lie in one block of a vector.
template <class I>
inline constexpr size_t kBlockIndices = 16 / sizeof(I);

// One block of each of the tuples first, first + kBlockIndices, ...: as many as a vector has.
template <class D, class I = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> LoadBlocks(D d, const I* first, size_t depth) {
  if constexpr (hn::MaxLanes(d) == kBlockIndices<I>) {
    return hn::LoadU(d, first);
  } else {
    const hn::Half<D> half;
    const auto low = LoadBlocks(half, first, depth);
    return hn::Combine(d, LoadBlocks(half, first + hn::MaxLanes(half) * depth, depth), low);
  }
}

// The kBlockIndices components from `first` on, each of as many tuples as a vector has lanes.
template <class D, class V, class I>
HWY_INLINE void LoadComponents(D d, const I* first, size_t depth, V* v) {
  V row[kBlockIndices<I>];
  for (size_t i = 0; i < kBlockIndices<I>; ++i) row[i] = LoadBlocks(d, first + i * depth, depth);
  if constexpr (kBlockIndices<I> == 2) {
    v[0] = hn::InterleaveLower(d, row[0], row[1]);
    v[1] = hn::InterleaveUpper(d, row[0], row[1]);
  } else {
    const V low0 = hn::InterleaveLower(d, row[0], row[2]);
    const V low1 = hn::InterleaveLower(d, row[1], row[3]);
    const V high0 = hn::InterleaveUpper(d, row[0], row[2]);
    const V high1 = hn::InterleaveUpper(d, row[1], row[3]);
    v[0] = hn::InterleaveLower(d, low0, low1);
    v[1] = hn::InterleaveUpper(d, low0, low1);
    v[2] = hn::InterleaveLower(d, high0, high1);
    v[3] = hn::InterleaveUpper(d, high0, high1);
  }
}

// As ResolveFn, for tuples of more than kShortTuple components. Not inlined, because of its stack.
template <bool kHoles, class I, class O>
HWY_NOINLINE size_t ResolveDeep(const TupleRule<I, O>& rule, const I* tuples, O* offsets,
                                size_t n) {
  constexpr size_t kBlock = kBlockIndices<I>, kVectors = sizeof(I) / sizeof(O);
  const hn::ScalableTag<I> d;
  const OffsetTag<O, I, kVectors> d_offset;
  using V = hn::VFromD<decltype(d)>;
  const size_t depth = static_cast<size_t>(rule.depth), lanes = hn::Lanes(d);
  const size_t step = kVectors * lanes;
  if (n < step) return 0;
  const Range range(rule);
  const bool batched = rule.batched;
  const size_t ahead = rule.ahead;
  const auto base = hn::Set(d_offset, rule.base);
  I wraps[kMaxRank], lasts[kMaxRank], strides[kMaxRank];
  for (size_t k = 0; k < depth; ++k) {
    const Component<I> component(rule, k);
    wraps[k] = component.wrap;
    lasts[k] = component.last;
    strides[k] = component.stride;
  }
  size_t t = 0;
  for (; t + step <= n; t += step) {
    const I* const first = tuples + t * depth;
    for (size_t i = 0; i < step * depth; i += kLine / sizeof(I)) FetchLater(first + i, ahead);
    V sum[kVectors], bad[kVectors];
    for (size_t i = 0; i < kVectors; ++i) sum[i] = bad[i] = hn::Zero(d);
    for (size_t k = 0; k < depth; k += kBlock) {
      const size_t from = HWY_MIN(k, depth - kBlock);  // the last block may overlap another
      V v[kVectors][kBlock];
      for (size_t i = 0; i < kVectors; ++i) {
        LoadComponents(d, first + from + i * lanes * depth, depth, v[i]);
      }
      // Another thread may rewrite the indices. What was loaded here is what is checked and used.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      for (size_t j = 0; j < kBlock; ++j) {
        if (from + j < k) continue;
        const V wrap = hn::Set(d, wraps[from + j]), last = hn::Set(d, lasts[from + j]);
        const V stride = hn::Set(d, strides[from + j]);
        for (size_t i = 0; i < kVectors; ++i) {
          sum[i] = hn::Add(sum[i], ScaleIndex(d, range, v[i][j], wrap, last, stride, bad[i]));
        }
      }
    }
    if constexpr (!kHoles) {
      if (!hn::AllFalse(d, hn::Lt(Either(bad), hn::Zero(d)))) break;
    }
    const auto start = batched ? hn::LoadU(d_offset, offsets + t) : base;
    hn::StoreU(MakeOffsets<kHoles>(d_offset, d, sum, bad, start), d_offset, offsets + t);
  }
  return t;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
