// How a mode treats an index value.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

// Brings an index into [0, size) by the mode; returns false if it addresses nothing.
// `value` is the index of a signed type, or the bits of an unsigned one. `wraps`: a negative index
// counts once from the end.
inline bool normalize_index(int64_t value, bool is_signed, bool wraps, int64_t size, Mode mode,
                            int64_t* index) {
  const bool negative = is_signed && value < 0;
  *index = negative && wraps ? value + size : value;
  // An index that is still negative is too large as an unsigned number.
  if (static_cast<uint64_t>(*index) < static_cast<uint64_t>(size)) return true;
  if (size == 0) return false;
  if (mode == Mode::kClip) {
    *index = negative ? 0 : size - 1;
    return true;
  }
  if (mode == Mode::kWrap) {
    const auto unsigned_size = static_cast<uint64_t>(size);
    *index = is_signed ? value % size
                       : static_cast<int64_t>(static_cast<uint64_t>(value) % unsigned_size);
    if (*index < 0) *index += size;
    return true;
  }
  return false;
}

}  // namespace gathernd
