// Device memory that is used again, and the way to it and back through staging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "d3d12/gpu/gpu.hpp"
#include "d3d12/memory/buffer_pool.hpp"
#include "d3d12/memory/codes.hpp"
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

  // Free again when the last copy of the pointer goes. The bytes are anything.
  BufferPtr take(uint64_t bytes);

  // For the caller of the library. Where there is no more, this, take() and the staging let all
  // free memory go, that of the host too, and try again.
  BufferPtr allocate(uint64_t bytes);

  // At the end of a call: lets free buffers go, largest first, until little is left, which the next
  // call may want; and what is too large of the staging.
  void trim();

  // Between calls: lets all free memory go and returns its bytes.
  uint64_t release();

  // Words that are all kNone. Who has not changed them may give them back: to clear them is a
  // dispatch.
  BufferPtr take_clean(uint64_t words);
  void give_clean(BufferPtr words);

  // Codes for so many slots, or more. Who took some gives them back, for the next call.
  Codes take_codes(uint64_t slots);
  void give_codes(Codes codes);

  // Packs the host's bytes into the buffer. Recorded, but for full blocks of the staging: those are
  // on their way.
  void upload(Buffer& to, const Tensor& from);
  void upload(Buffer& to, const void* from, uint64_t bytes);

  void finish();  // runs what was recorded

  // Runs what was recorded, brings bytes [first, first + bytes) back.
  void download(Buffer& from, uint64_t first, uint64_t bytes, void* to);

  // The same for several parts, one after the other.
  void download(Buffer& from, std::span<const Region> regions, std::byte* to);

  // Words that come back with the first bytes of a download; `look` may throw.
  struct Status {
    Buffer& words;
    size_t count;
    std::function<void(const uint32_t*)> look;
  };

  // The same for all of the buffer's elements; nothing is written before the look at the status,
  // nor if anything fails before the end (`fresh`: that does not matter).
  void download(Buffer& from, const Tensor& to, bool fresh, const Status* status = nullptr);

  // All that was submitted has ended, and nothing is recorded.
  void restart();

  // The same where what was recorded is forgotten: codes may not have been cleared.
  void discard();

 private:
  void trim_pool();
  void release_for_call();

  using Fill = std::function<void(std::byte* to, uint64_t first, uint64_t bytes)>;
  void upload_pieces(Buffer& to, uint64_t bytes, uint64_t granule, const Fill& fill);

  Gpu& gpu_;
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>();
  BufferPtr clean_;
  Codes codes_;
  Staging up_, down_;
};

}  // namespace gathernd::d3d12
