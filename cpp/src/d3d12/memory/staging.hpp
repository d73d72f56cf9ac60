// Mapped memory for copies to the device, or from it: blocks that are used in turn, so that the
// host works on one while the device copies others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "d3d12/gpu/gpu.hpp"

namespace gathernd::d3d12 {

class Staging {
 public:
  static constexpr size_t kBlocks = 4;

  // make_room() lets other memory go if there is none for a block.
  Staging(Gpu& gpu, Heap heap, std::function<void()> make_room)
      : gpu_(gpu), heap_(heap), make_room_(std::move(make_room)) {}

  // Bytes of the largest piece of whole elements that fits into a block; one element at least.
  static uint64_t piece_bytes(uint64_t element);

  struct Piece {
    Buffer& buffer;
    uint64_t first;  // byte of the buffer
    std::byte* data;
  };

  // Memory that no copy uses, in the current block or the next one: then what was recorded is
  // submitted, and the wait is for what the block was last used by.
  Piece take(uint64_t bytes);

  // All that was submitted has ended: the current block is free again.
  void restart() { used_ = 0; }

  // Lets blocks go that a larger element than most has made larger than the others. No piece of
  // theirs is used any more.
  void trim();

  // The same, and all blocks go: returns their bytes.
  uint64_t release();

 private:
  struct Block {
    BufferPtr buffer;
    uint64_t value = 0;  // of the last submission that uses it
  };

  BufferPtr allocate(uint64_t bytes);

  Gpu& gpu_;
  Heap heap_;
  std::function<void()> make_room_;
  std::array<Block, kBlocks> blocks_;
  size_t current_ = 0;
  uint64_t used_ = 0;  // bytes of the current block
};

}  // namespace gathernd::d3d12
