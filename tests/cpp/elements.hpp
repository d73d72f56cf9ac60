// Elements of every kind that can be reduced: random ones, their combinations, their comparison.
#pragma once

#include "gathernd/plan.hpp"
#include "support.hpp"

namespace gathernd::test {

inline constexpr Kind kKinds[] = {Kind::kBool,
                                  Kind::kInt8,
                                  Kind::kInt16,
                                  Kind::kInt32,
                                  Kind::kInt64,
                                  Kind::kUInt8,
                                  Kind::kUInt16,
                                  Kind::kUInt32,
                                  Kind::kUInt64,
                                  Kind::kFloat16,
                                  Kind::kBFloat16,
                                  Kind::kFloat32,
                                  Kind::kFloat64,
                                  Kind::kLongDouble,
                                  Kind::kComplex64,
                                  Kind::kComplex128,
                                  Kind::kComplexLongDouble,
                                  Kind::kDatetime,
                                  Kind::kTimedelta};
inline constexpr Reduction kReductions[] = {Reduction::kAdd, Reduction::kSub, Reduction::kMul,
                                            Reduction::kMin, Reduction::kMax, Reduction::kAnd,
                                            Reduction::kOr,  Reduction::kXor};

int64_t size_of(Kind kind);  // bytes

// Any integer; floats that are small, or special.
void random_element(Random& random, Kind kind, std::byte* to);

// Whether the updates of an element are added in a wider type.
bool sums_halves(Kind kind, Reduction reduction);

// Packed elements, changed update by update with the rules of combine.hpp (test_combine.cpp looks
// after those). Sums and products of 16-bit floats are kept in float32 and rounded at the end.
class Totals {
 public:
  Totals(Kind kind, int64_t size, Reduction reduction, std::vector<std::byte> elements);
  void update(int64_t element, const std::byte* from);
  std::vector<std::byte> elements() const;

 private:
  float to_float32(const std::byte* half) const;

  Kind kind_;
  size_t size_;
  Reduction reduction_;
  std::vector<std::byte> elements_;
  std::vector<float> sums_;
};

// The same bits; any NaN is like any other, and padding means nothing.
bool same_element(Kind kind, const std::byte* a, const std::byte* b);

}  // namespace gathernd::test
