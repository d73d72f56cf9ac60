// Checks indices, one per lane, and scales them to offsets. Included once per target by the other
// stages.

#if defined(GATHERND_RESOLVE_INDEX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_INDEX_INL_H_
#undef GATHERND_RESOLVE_INDEX_INL_H_
#else
#define GATHERND_RESOLVE_INDEX_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// What a component is checked against and multiplied with.
template <class I>
struct Component {
  template <class O>
  Component(const TupleRule<I, O>& rule, size_t k)
      // If negative indices do not count from the end they stay negative, which is out of range. So
      // do unsigned ones that look negative, because they are larger than every size.
      : wrap(rule.wraps ? rule.dims[k] : I{0}),
        last(static_cast<I>(rule.dims[k] - 1)),
        stride(static_cast<I>(rule.strides[k])) {}
  I wrap, last, stride;
};

// index * stride in the lanes of the index. In 32 bits it wraps around as it should; in 64 bits it
// is exact.
template <class D, class V>
HWY_INLINE V Scale(D d, V index, V stride) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Mul(index, stride);
  } else {
    const hn::Repartition<uint32_t, D> d32;
    return hn::BitCast(d, hn::MulEven(hn::BitCast(d32, index), hn::BitCast(d32, stride)));
  }
}

// How indices are brought into range: the same for all components of a tuple.
struct Range {
  template <class I, class O>
  explicit Range(const TupleRule<I, O>& rule)
      : is_signed(rule.is_signed),
        clips(rule.mode == Mode::kClip),
        brings_back(clips || rule.mode == Mode::kWrap) {}
  bool is_signed, clips, brings_back;
};

// kClip brings back all indices that are out of range, kWrap those that are less than a size away.
template <class D, class V>
HWY_INLINE V BringBack(D d, const Range& range, V index, V last) {
  if (range.clips) {
    const V low = range.is_signed ? hn::Zero(d) : last;
    return hn::IfNegativeThenElse(index, low, hn::Min(index, last));
  }
  const V left = hn::Sub(last, index);
  return hn::IfNegativeThenElse(left, hn::Not(left), index);  // which is index - last - 1
}

// What the indices add to their tuples' offsets. For every index that is out of range, and is not
// brought back, `bad` becomes negative. There is a branch, not a kernel for each mode, which would
// be twice the code: mode raise takes the same time, clip and wrap up to a tenth more.
template <class D, class V>
HWY_INLINE V ScaleIndex(D d, const Range& range, V index, V wrap, V last, V stride, V& bad) {
  index = hn::Add(index, hn::And(hn::BroadcastSignBit(index), wrap));
  if (HWY_UNLIKELY(range.brings_back)) index = BringBack(d, range, index, last);
  bad = hn::Or(bad, hn::Or(index, hn::Sub(last, index)));
  return Scale(d, index, stride);
}

// How many vectors of indices make one of offsets. Single indices are so fast to resolve that the
// loop itself counts: two vectors save a tenth. Tuples gain nothing by that.
template <class I, class O>
constexpr size_t IndexVectors(size_t depth) {
  return depth == 1 ? sizeof(I) / sizeof(O) : 1;
}

template <class O, class I, size_t kVectors>
using OffsetTag =
    std::conditional_t<kVectors == 1, hn::Rebind<O, hn::ScalableTag<I>>, hn::ScalableTag<O>>;

// The lanes of one vector or two in one, their low halves if offsets are narrower than indices.
template <class DO, class D, class V, size_t kVectors>
HWY_INLINE auto ToOffsets(DO d_offset, D, const V (&v)[kVectors]) {
  if constexpr (kVectors == 2) {
    return hn::ConcatEven(d_offset, hn::BitCast(d_offset, v[1]), hn::BitCast(d_offset, v[0]));
  } else if constexpr (sizeof(hn::TFromD<DO>) == sizeof(hn::TFromD<D>)) {
    return hn::BitCast(d_offset, v[0]);
  } else {
    return hn::TruncateTo(d_offset, hn::BitCast(hn::RebindToUnsigned<D>(), v[0]));
  }
}

// The offsets of tuples whose scaled indices have these sums. kHoles: those of bad tuples are
// kNoSlice.
template <bool kHoles, class DO, class D, class V, size_t kVectors>
HWY_INLINE hn::VFromD<DO> MakeOffsets(DO d_offset, D d, const V (&sum)[kVectors],
                                      V (&bad)[kVectors], hn::VFromD<DO> start) {
  auto result = hn::Add(ToOffsets(d_offset, d, sum), start);
  if constexpr (kHoles) {
    for (V& one : bad) one = hn::BroadcastSignBit(one);
    result = hn::Or(result, ToOffsets(d_offset, d, bad));
  }
  return result;
}

// The bits that are set in one vector or in two.
template <class V, size_t kVectors>
HWY_INLINE V Either(const V (&v)[kVectors]) {
  if constexpr (kVectors == 2) {
    return hn::Or(v[0], v[1]);
  } else {
    return v[0];
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
