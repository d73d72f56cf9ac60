// What is known of the kinds of elements: a row per kind. Everything else asks here, except for
// what computes with a kind: cpu/kernels/kind_types.hpp, and each device's shaders.
#pragma once

#include <cstdint>
#include <string_view>

#include "gathernd/dtype.hpp"

namespace gathernd {

enum class Group : uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex, kTime, kMoved };

struct KindFacts {
  const char* name;  // in messages
  Group group;
  char letter;   // NumPy's dtype.kind; 0: NumPy has no such type
  int64_t size;  // bytes; 0: any
  // Families of reductions: those that are defined, those of which all updates of an element are
  // combined in float32 and rounded once, and those whose result does not depend on the order.
  uint8_t reductions = 0, rounded_once = 0, in_any_order = 0;
};

const KindFacts& facts_of(Kind kind);  // what is no kind counts as kOther

// Whether the elements have as many bytes as their kind has, or any number if it has none.
bool has_size_of_kind(const DType& dtype);

// The kind of NumPy's own type; kOther if there is none.
Kind numpy_kind(char letter, int64_t size);
// The kind of another package's type, such as ml_dtypes' bfloat16; kOther if there is none.
Kind package_kind(std::string_view name, int64_t size);

}  // namespace gathernd
