// Random calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gathernd/plan.hpp"

namespace gathernd::testing {

using Bytes = std::vector<std::byte>;
using Shape = std::vector<int64_t>;

// A packed array that owns its bytes.
struct Array {
  Array(DType dtype_, Shape shape_);
  Tensor tensor();
  int64_t elements() const;

  DType dtype;
  Shape shape;
  Shape strides;
  Bytes bytes;
};

// What floats are like: any bits, or of close exponents, or subnormal and near it.
enum class Values { kAny, kNear, kTiny };

struct Case {
  Shape batch = {};
  Shape outer = {};
  Shape indexed = {};
  Shape slice = {};
  DType dtype{Kind::kFloat32, 4};
  DType index_type{Kind::kInt32, 4};
  Mode mode = Mode::kRaise;
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  double bad = 0;  // share of indices out of range
  uint64_t seed = 1;
  Values values = Values::kAny;
};

// The arrays of a case, filled at random.
struct Arrays {
  explicit Arrays(const Case& c);
  Array input, indices, rows;
};

DType index_dtype(Kind kind);
const std::byte* fill_value(const Case& c);  // one element, until the next call
std::string describe(const Case& c);

}  // namespace gathernd::testing
