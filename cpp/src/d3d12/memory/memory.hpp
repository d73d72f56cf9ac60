// Device memory that is reused, and the transfers to and from it through staging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "d3d12/gpu/gpu.hpp"
#include "d3d12/memory/buffer_pool.hpp"
#include "d3d12/memory/epoch_table.hpp"
#include "d3d12/memory/staging.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd::d3d12 {

class Memory {
 public:
  explicit Memory(Gpu& gpu)
      : gpu_(gpu),
        up_(gpu, Heap::kUpload, [this] { release_for_call(); }),
        down_(gpu, Heap::kReadback, [this] { release_for_call(); }) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // A buffer with any contents. It becomes free again when the last copy of the pointer is
  // destroyed.
  BufferPtr take(uint64_t bytes);

  // A buffer that the caller of the library will hold. If there is no more memory, this, take() and
  // the staging release all free memory, also on the host, and try again.
  BufferPtr allocate(uint64_t bytes);

  // For the end of a call: frees free buffers, largest first, until little is left for the next
  // call, and frees staging blocks that are too large.
  void trim();

  // Between calls: releases all free memory and returns the number of bytes.
  uint64_t release();

  // Words that are all kNone. A user that has not changed them may give them back, which saves the
  // dispatch that clears them.
  BufferPtr take_clean(uint64_t words);
  void give_clean(BufferPtr words);

  // A table of `slots` slots or more. The user gives it back for the next call.
  EpochTable take_epoch_table(uint64_t slots);
  void give_epoch_table(EpochTable table);

  // Packs host memory into the buffer. The copies are recorded; those of full staging blocks are
  // already submitted.
  void upload(Buffer& to, const Tensor& from);
  void upload(Buffer& to, const void* from, uint64_t bytes);

  void finish();  // runs what was recorded, and waits for it

  // Allocates what a download of so many bytes takes, which then cannot fail at that.
  void reserve_download(uint64_t bytes) { down_.reserve(bytes); }

  // Runs what was recorded, then copies bytes [first, first + bytes) to the host.
  void download(Buffer& from, uint64_t first, uint64_t bytes, void* to);

  // The same for several regions, stored one after the other.
  void download(Buffer& from, std::span<const Region> regions, std::byte* to);

  // Words that are copied back with the first bytes of a download. `look` checks them and may
  // throw.
  struct Status {
    Buffer& words;
    size_t count;
    std::function<void(const uint32_t*)> look;
  };

  // The same for all elements of the buffer. Nothing is written before `look` has returned, nor if
  // anything fails before the end (unless `fresh`).
  void download(Buffer& from, const Tensor& to, bool fresh, const Status* status = nullptr);

  // Call this when all that was submitted has ended and nothing is recorded.
  void restart();

  // The same if recorded work was discarded: the entries may not have been cleared.
  void discard();

 private:
  void trim_pool();
  void release_for_call();

  using Fill = std::function<void(std::byte* to, uint64_t first, uint64_t bytes)>;
  void upload_pieces(Buffer& to, uint64_t bytes, uint64_t granule, const Fill& fill);

  Gpu& gpu_;
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>();
  BufferPtr clean_;
  EpochTable epochs_;
  Staging up_, down_;
};

}  // namespace gathernd::d3d12
