// A table for each thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/buffer.hpp"

namespace gathernd {

// `count` tables of `length` elements. No two have elements in one cache line or in neighbouring
// ones, which some processors fetch in pairs: a line that two threads write to goes back and forth.
template <class T>
class OwnTables {
 public:
  OwnTables(int64_t count, int64_t length)
      : distance_(length + kApart / int64_t{sizeof(T)}),
        tables_(static_cast<size_t>(count * distance_)) {}

  T* of(int64_t i) const { return tables_.data() + i * distance_; }

 private:
  static constexpr int64_t kApart = 128;  // bytes

  int64_t distance_;  // elements
  Buffer<T> tables_;
};

}  // namespace gathernd
