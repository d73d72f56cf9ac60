#include "floats.hpp"

#include <cstring>

namespace gathernd::testing {
namespace {

struct FloatFormat {
  size_t size;
  int exponent_bits;
};

FloatFormat float_format(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      return {2, 5};
    case Kind::kBFloat16:
      return {2, 8};
    case Kind::kFloat32:
    case Kind::kComplex64:
      return {4, 8};
    case Kind::kFloat64:
    case Kind::kComplex128:
      return {8, 11};
    default:
      return {0, 0};
  }
}

}  // namespace

void shape_values(const Case& c, Array* array) {
  const FloatFormat format = float_format(c.dtype.kind);
  if (format.size == 0 || c.values == Values::kAny) return;
  const int mantissa_bits = static_cast<int>(format.size) * 8 - 1 - format.exponent_bits;
  const uint64_t mask = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t bias = mask / 2;
  for (size_t at = 0; at < array->bytes.size(); at += format.size) {
    uint64_t bits = 0;
    std::memcpy(&bits, array->bytes.data() + at, format.size);
    const uint64_t random = bits >> mantissa_bits & mask;
    const uint64_t exponent = c.values == Values::kNear ? bias - 2 + random % 4 : random % 3;
    bits = (bits & ~(mask << mantissa_bits)) | exponent << mantissa_bits;
    std::memcpy(array->bytes.data() + at, &bits, format.size);
  }
}

void unify_nans(const Case& c, Bytes* bytes) {
  const FloatFormat format = float_format(c.dtype.kind);
  if (format.size == 0 || c.reduction == Reduction::kNone) return;
  const int mantissa_bits = static_cast<int>(format.size) * 8 - 1 - format.exponent_bits;
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << mantissa_bits;
  const uint64_t sign = uint64_t{1} << (format.size * 8 - 1);
  for (size_t at = 0; at < bytes->size(); at += format.size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data() + at, format.size);
    if ((bits & ~sign) > infinity) bits = infinity + 1;
    std::memcpy(bytes->data() + at, &bits, format.size);
  }
}

}  // namespace gathernd::testing
