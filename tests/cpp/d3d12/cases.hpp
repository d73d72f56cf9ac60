// Random calls, the answer of a plain loop, and the answer of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gathernd/device.hpp"
#include "gathernd/gathernd.hpp"

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

// What a call did: the bytes of its output, or the error.
struct Answer {
  Bytes bytes;
  std::string error;
  bool operator==(const Answer&) const = default;
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

Answer expected_gather(const Case& c, Arrays& arrays);
Answer device_gather(const Case& c, Arrays& arrays);
Answer expected_scatter(const Case& c, Arrays& arrays);
Answer device_scatter(const Case& c, Arrays& arrays);
Answer device_memory_scatter(const Case& c, Arrays& arrays);

// Compares the two answers; says whether they are equal, and prints the case if not.
bool check_gather(const Case& c);
bool check_scatter(const Case& c);

}  // namespace gathernd::testing
