// One entry per slot, a word in which the tuples of a pass leave numbers. Each pass is an epoch
// with larger entries than all epochs before it: old entries are recognised, and no pass waits for
// a clear.
#pragma once

#include <utility>

#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

class EpochTable {
 public:
  EpochTable() = default;
  // The words may hold any values.
  EpochTable(BufferPtr words, uint64_t slots) : words_(std::move(words)), slots_(slots) {}

  uint64_t slots() const { return slots_; }
  const BufferPtr& words() const { return words_; }
  View view(uint64_t slots, Format format = Format::kWord) const {
    return d3d12::words(words_, slots, format);
  }

  // Begins an epoch of `count` entries and returns its floor: all words are at most the floor, and
  // the first entry is the floor + 1. Clears the words if the numbers have run out.
  uint32_t begin(Gpu& gpu, uint32_t count);

 private:
  BufferPtr words_;
  uint64_t slots_ = 0;
  uint32_t most_ = kNone;  // the largest value that a word can have
};

}  // namespace gathernd::d3d12
