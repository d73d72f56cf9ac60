// Mapped memory for copies to or from the device. Its blocks are used in turn, so that the host
// works on one while the device copies others.
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

  // make_room() releases other memory if there is none for a block.
  Staging(Gpu& gpu, Heap heap, std::function<void()> make_room)
      : gpu_(gpu), heap_(heap), make_room_(std::move(make_room)) {}

  // The bytes of the largest piece of whole elements that fits into a block; at least one element.
  static uint64_t piece_bytes(uint64_t element);

  struct Piece {
    Buffer& buffer;
    uint64_t first;  // byte of the buffer
    std::byte* data;
  };

  // Allocates what a piece of so many bytes takes: if it is the next one, it cannot fail at that.
  void reserve(uint64_t bytes) { used_ = take(bytes).first; }

  // Memory that no copy uses, in the current block or the next one. Before the next block is used,
  // what was recorded is submitted, and the block's last submission has ended.
  Piece take(uint64_t bytes);

  // Call this when all that was submitted has ended: the current block is free again.
  void restart() { used_ = 0; }

  // Frees the blocks that a very large element has made larger than normal. No piece may be in use.
  void trim();

  // Frees all blocks and returns the number of bytes. No piece may be in use.
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
