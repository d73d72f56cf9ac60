// Loads vectors of bytes, and copies rows of any size. Included once per target by the files of
// rows.

#if defined(GATHERND_COPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_COPY_INL_H_
#undef GATHERND_COPY_INL_H_
#else
#define GATHERND_COPY_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadBytes(D d, const std::byte* from) {
  const hn::Repartition<uint8_t, D> d8;
  return hn::BitCast(d, hn::LoadU(d8, reinterpret_cast<const uint8_t*>(from)));
}

template <class D>
HWY_INLINE void StoreBytes(D, hn::Vec<D> v, std::byte* to) {
  const hn::Repartition<uint8_t, D> d8;
  hn::StoreU(hn::BitCast(d8, v), d8, reinterpret_cast<uint8_t*>(to));
}

// Copies kBytes at either end; the two may overlap.
template <size_t kBytes>
HWY_INLINE void CopyEnds(std::byte* to, const std::byte* from, size_t n) {
  std::byte first[kBytes], last[kBytes];
  std::memcpy(first, from, kBytes);
  std::memcpy(last, from + n - kBytes, kBytes);
  std::memcpy(to, first, kBytes);
  std::memcpy(to + n - kBytes, last, kBytes);
}

#if HWY_TARGET != HWY_SCALAR

// Not by std::memcpy: glibc copies 4 KiB and more by one instruction, which takes ten times as long
// on AMD's processors if `to` is 16 bytes past `from`, modulo 4 KiB. glibc allocates arrays so.
// Loads come before stores, because a load just past a store, modulo 4 KiB, waits for it.
HWY_NOINLINE inline void CopyLong(std::byte* to, const std::byte* from, size_t n) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  hn::StoreU(hn::LoadU(d, in), d, out);
  const size_t head = lanes - reinterpret_cast<uintptr_t>(out) % lanes;  // then stores are aligned
  for (in += head, out += head, n -= head; n > 4 * lanes; n -= 4 * lanes) {
    const auto v0 = hn::LoadU(d, in), v1 = hn::LoadU(d, in + lanes);
    const auto v2 = hn::LoadU(d, in + 2 * lanes), v3 = hn::LoadU(d, in + 3 * lanes);
    hn::Store(v0, d, out);
    hn::Store(v1, d, out + lanes);
    hn::Store(v2, d, out + 2 * lanes);
    hn::Store(v3, d, out + 3 * lanes);
    in += 4 * lanes, out += 4 * lanes;
  }
  for (; n > lanes; n -= lanes, in += lanes, out += lanes) hn::Store(hn::LoadU(d, in), d, out);
  in -= lanes - n, out -= lanes - n;
  hn::StoreU(hn::LoadU(d, in), d, out);
}

#endif

// Any size. For the usual sizes of rows there is no call.
HWY_INLINE void CopyBytes(std::byte* to, const std::byte* from, size_t n) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  if (n > 64 * lanes) return CopyLong(to, from, n);
  if (n >= lanes) {
    for (size_t i = 0; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, in + i), d, out + i);
    hn::StoreU(hn::LoadU(d, in + n - lanes), d, out + n - lanes);
    return;
  }
#endif
  if (n > 64) {
    std::memcpy(to, from, n);
  } else if (n >= 32) {
    CopyEnds<32>(to, from, n);
  } else if (n >= 16) {
    CopyEnds<16>(to, from, n);
  } else if (n >= 8) {
    CopyEnds<8>(to, from, n);
  } else if (n >= 4) {
    CopyEnds<4>(to, from, n);
  } else if (n >= 2) {
    CopyEnds<2>(to, from, n);
  } else if (n == 1) {
    *to = *from;
  }
}

// kBytes 0 stands for any size.
template <size_t kBytes>
HWY_INLINE void CopyRow(std::byte* to, const std::byte* from, size_t n) {
  if constexpr (kBytes == 0) {
    CopyBytes(to, from, n);
  } else {
    std::memcpy(to, from, kBytes);
  }
}

inline void Copy(std::byte* to, const std::byte* from, size_t n) { CopyBytes(to, from, n); }

inline void Stream(std::byte* to, const std::byte* from, size_t n) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const size_t head = HWY_MIN(n, static_cast<size_t>(-reinterpret_cast<uintptr_t>(to) & 63));
  CopyBytes(to, from, head);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  size_t i = head;
  // Whole cache lines only, because partial ones are slow.
  for (; i + 64 <= n; i += 64) {
    for (size_t part = 0; part < 64; part += lanes) {
      hn::Stream(hn::LoadU(d, in + i + part), d, out + i + part);
    }
  }
  to += i;
  from += i;
  n -= i;
#endif
  CopyBytes(to, from, n);
}

// Returns f.operator()<kBytes>(): the size as a constant where there is a special form, else 0.
template <class F>
auto DispatchBytes(size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 6:
      return f.template operator()<6>();
    case 8:
      return f.template operator()<8>();
    case 12:
      return f.template operator()<12>();
    case 16:
      return f.template operator()<16>();
    case 24:
      return f.template operator()<24>();
    case 32:
      return f.template operator()<32>();
    case 64:
      return f.template operator()<64>();
    default:
      return f.template operator()<0>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
