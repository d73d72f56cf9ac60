// A word for each slot, in which the tuples of a pass leave codes. Those of each pass are above all
// before them, so that the words need not be cleared for it, for which the pass would have to wait.
#pragma once

#include <utility>

#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

class Codes {
 public:
  Codes() = default;
  // The words may be anything.
  Codes(BufferPtr words, uint64_t slots) : words_(std::move(words)), slots_(slots) {}

  uint64_t slots() const { return slots_; }
  const BufferPtr& words() const { return words_; }
  View view(uint64_t slots, Format format = Format::kWord) const {
    return d3d12::words(words_, slots, format);
  }

  // Begins a pass of so many codes: the first is what it returns, plus 1. No word is above that.
  uint32_t begin(Gpu& gpu, uint32_t count);

 private:
  BufferPtr words_;
  uint64_t slots_ = 0;
  uint32_t most_ = kNone;  // no word is above it
};

}  // namespace gathernd::d3d12
