// Element types. Moves look only at the size; reductions and indices look at the kind.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace gathernd {

enum class Kind : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kLongDouble,
  kComplex64,
  kComplex128,
  kComplexLongDouble,
  kDatetime,  // ticks as int64; the smallest is NaT
  kTimedelta,
  // Moved, never computed with:
  kBytes,
  kString,
  kStructured,
  kOther,
};

// A run of bytes of an element.
struct ByteRun {
  int64_t offset = 0;
  int64_t size = 0;
};

struct DType {
  Kind kind = Kind::kOther;
  int64_t size = 1;             // bytes per element; most kinds have one size
  bool native = true;           // false: the other byte order
  const char* other = nullptr;  // the name of a kOther in messages
  // The bytes of a record's fields, ascending, if there are gaps beside them; else null. A run of
  // no bytes stands for no field. A gap may belong to other fields of the same memory: an output
  // keeps it, unless it is fresh.
  const std::vector<ByteRun>* fields = nullptr;

  // Compares `other` by its text, and not the fields.
  bool operator==(const DType& d) const {
    const bool same = kind == d.kind && size == d.size && native == d.native;
    if (!same || other == d.other) return same;
    return other != nullptr && d.other != nullptr && std::strcmp(other, d.other) == 0;
  }
};

// "float32", "datetime64" and so on, for messages.
const char* name(Kind kind);
const char* name(const DType& dtype);

// Whether the kind can hold indices: int8 to int64, uint8 to uint64.
bool is_index(Kind kind);
bool is_signed_index(Kind kind);

// Whether the elements are points in time or time spans. Their NaT stays NaT.
bool is_time(Kind kind);

}  // namespace gathernd
