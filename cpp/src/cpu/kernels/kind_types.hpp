// The C++ type of each kind of elements that is computed with.
#pragma once

#include "cpu/kernels/element.hpp"
#include "gathernd/dtype.hpp"

namespace gathernd {

// Calls f(T{}) with the type of the kind, up to kTimedelta.
template <class F>
auto with_type(Kind kind, F f) {
  switch (kind) {
    case Kind::kBool:
      return f(Bool{});
    case Kind::kInt8:
      return f(int8_t{});
    case Kind::kInt16:
      return f(int16_t{});
    case Kind::kInt32:
      return f(int32_t{});
    case Kind::kInt64:
      return f(int64_t{});
    case Kind::kUInt8:
      return f(uint8_t{});
    case Kind::kUInt16:
      return f(uint16_t{});
    case Kind::kUInt32:
      return f(uint32_t{});
    case Kind::kFloat16:
      return f(Half{});
    case Kind::kBFloat16:
      return f(BFloat16{});
    case Kind::kFloat32:
      return f(float{});
    case Kind::kFloat64:
      return f(double{});
    case Kind::kLongDouble:
      return f(static_cast<long double>(0));
    case Kind::kComplex64:
      return f(Complex<float>{});
    case Kind::kComplex128:
      return f(Complex<double>{});
    case Kind::kComplexLongDouble:
      return f(Complex<long double>{});
    case Kind::kDatetime:
    case Kind::kTimedelta:
      return f(Time{});
    default:
      return f(uint64_t{});
  }
}

}  // namespace gathernd
