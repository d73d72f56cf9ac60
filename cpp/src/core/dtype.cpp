#include "gathernd/dtype.hpp"

#include <array>

namespace gathernd {

const char* name(Kind kind) {
  static constexpr std::array kNames = {
      "bool",        "int8",       "int16",     "int32",      "int64",       "uint8",
      "uint16",      "uint32",     "uint64",    "float16",    "bfloat16",    "float32",
      "float64",     "longdouble", "complex64", "complex128", "clongdouble", "datetime64",
      "timedelta64", "bytes",      "str",       "structured", "other",
  };
  static_assert(kNames.size() == static_cast<size_t>(Kind::kOther) + 1);
  return kNames[static_cast<size_t>(kind)];
}

const char* name(const DType& dtype) {
  return dtype.other != nullptr ? dtype.other : name(dtype.kind);
}

bool is_index(Kind kind) { return kind >= Kind::kInt8 && kind <= Kind::kUInt64; }

bool is_signed_index(Kind kind) { return kind >= Kind::kInt8 && kind <= Kind::kInt64; }

bool is_time(Kind kind) { return kind == Kind::kDatetime || kind == Kind::kTimedelta; }

}  // namespace gathernd
