#include "elements.hpp"

#include <cmath>
#include <limits>

#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/kind_types.hpp"

namespace gathernd::test {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <std::integral T>
T make(Random& random, T) {
  return static_cast<T>(random.bits());
}

template <std::floating_point T>
T make(Random& random, T) {
  using Limits = std::numeric_limits<T>;
  if (!random.one_in(8)) return static_cast<T>(random(-40, 40)) / 8;
  return random.one_of<T>({T{-0.0}, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                           Limits::denorm_min(), Limits::max(), T{1} / 3});
}

Bool make(Random& random, Bool) { return {static_cast<uint8_t>(random(0, 2))}; }
// NaT, what wraps around to it, and others.
Time make(Random& random, Time) {
  const int64_t few = random(-3, 3);
  return {random.one_in(8)   ? kNaT
          : random.one_in(4) ? INT64_MAX - 3 + few
          : random.one_in(4) ? few
                             : static_cast<int64_t>(random.bits())};
}

Half make(Random& random, Half) { return to_half(make(random, float{})); }
BFloat16 make(Random& random, BFloat16) { return to_bfloat16(make(random, float{})); }

template <class T>
Complex<T> make(Random& random, Complex<T>) {
  return {make(random, T{}), make(random, T{})};
}

template <class Op, class T>
void combine(std::byte* to, const std::byte* from) {
  if constexpr (requires(T x) { Op::apply(x, x); }) {
    const T result = Op::apply(load<T>(to), load<T>(from));
    std::memcpy(to, &result, sizeof result);
  } else {
    FAIL("this kind has no such reduction");
  }
}

template <std::integral T>
bool same(T a, T b) {
  return a == b;
}

template <std::floating_point T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

bool same(Bool a, Bool b) { return a.byte == b.byte; }
bool same(Time a, Time b) { return a.ticks == b.ticks; }
bool same(Half a, Half b) { return same(to_float(a), to_float(b)); }
bool same(BFloat16 a, BFloat16 b) { return same(to_float(a), to_float(b)); }

template <class T>
bool same(Complex<T> a, Complex<T> b) {
  return same(a.re, b.re) && same(a.im, b.im);
}

// *to = *to op *from.
void combine_element(Kind kind, Reduction reduction, std::byte* to, const std::byte* from) {
  with_type(kind, [&]<class T>(T) {
    switch (reduction) {
      case Reduction::kNone:
        return;
      case Reduction::kAdd:
        return combine<Add, T>(to, from);
      case Reduction::kSub:
        return combine<Sub, T>(to, from);
      case Reduction::kMul:
        return combine<Mul, T>(to, from);
      case Reduction::kMin:
        return combine<Min, T>(to, from);
      case Reduction::kMax:
        return combine<Max, T>(to, from);
      case Reduction::kAnd:
        return combine<And, T>(to, from);
      case Reduction::kOr:
        return combine<Or, T>(to, from);
      case Reduction::kXor:
        return combine<Xor, T>(to, from);
    }
  });
}

}  // namespace

int64_t size_of(Kind kind) {
  return with_type(kind, [](auto type) { return static_cast<int64_t>(sizeof type); });
}

void random_element(Random& random, Kind kind, std::byte* to) {
  with_type(kind, [&](auto type) {
    const auto value = make(random, type);
    std::memcpy(to, &value, sizeof value);
  });
}

bool same_element(Kind kind, const std::byte* a, const std::byte* b) {
  return with_type(kind, [&]<class T>(T) { return same(load<T>(a), load<T>(b)); });
}

bool sums_halves(Kind kind, Reduction reduction) {
  const bool half = kind == Kind::kFloat16 || kind == Kind::kBFloat16;
  return half && (reduction == Reduction::kAdd || reduction == Reduction::kSub ||
                  reduction == Reduction::kMul);
}

Totals::Totals(Kind kind, int64_t size, Reduction reduction, std::vector<std::byte> elements)
    : kind_(kind),
      size_(static_cast<size_t>(size)),
      reduction_(reduction),
      elements_(std::move(elements)) {
  if (!sums_halves(kind, reduction)) return;
  for (size_t i = 0; i < elements_.size(); i += 2) sums_.push_back(to_float32(&elements_[i]));
}

float Totals::to_float32(const std::byte* half) const {
  const auto bits = load<uint16_t>(half);
  return kind_ == Kind::kFloat16 ? to_float(Half{bits}) : to_float(BFloat16{bits});
}

void Totals::update(int64_t element, const std::byte* from) {
  const auto i = static_cast<size_t>(element);
  if (reduction_ == Reduction::kNone) {
    std::memcpy(&elements_[i * size_], from, size_);
  } else if (sums_.empty()) {
    combine_element(kind_, reduction_, &elements_[i * size_], from);
  } else {
    const float value = to_float32(from);
    combine_element(Kind::kFloat32, reduction_, reinterpret_cast<std::byte*>(&sums_[i]),
                    reinterpret_cast<const std::byte*>(&value));
  }
}

std::vector<std::byte> Totals::elements() const {
  std::vector<std::byte> result = elements_;
  for (size_t i = 0; i < sums_.size(); ++i) {
    const uint16_t bits =
        kind_ == Kind::kFloat16 ? to_half(sums_[i]).bits : to_bfloat16(sums_[i]).bits;
    std::memcpy(&result[2 * i], &bits, sizeof bits);
  }
  return result;
}

}  // namespace gathernd::test
