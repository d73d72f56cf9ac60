// What the operators need from a GPU: memory, copies, dispatches. It has no D3D12 types, so that
// the code above it is compiled only once, not once per calling convention.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "d3d12/gpu/device_buffers.hpp"
#include "d3d12/gpu/interrupt.hpp"
#include "d3d12/gpu/pace.hpp"

namespace gathernd::d3d12 {

enum class Heap { kDevice, kUpload, kReadback };

// Device memory, or upload or read-back memory, which is mapped for the host.
class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  // A derived class adds itself to its home, and its destructor first removes it from there.
  Buffer(uint64_t size, std::shared_ptr<DeviceBuffers> home)
      : size_(size), home_(std::move(home)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;

  virtual std::byte* mapped() = 0;  // null for device memory
  virtual void drop() = 0;          // releases the memory, because the device is retired
  uint64_t size() const { return size_; }
  DeviceBuffers& home() const { return *home_; }

 private:
  friend class DeviceBuffers;

  uint64_t size_;
  std::shared_ptr<DeviceBuffers> home_;
  Buffer *next_ = nullptr, *previous_ = nullptr;  // the home's list
};
using BufferPtr = std::shared_ptr<Buffer>;

// Bytes [first, first + bytes) of a buffer.
struct Region {
  uint64_t first;
  uint64_t bytes;
  uint64_t end() const { return first + bytes; }
};

// How a shader sees a buffer: as Buffer<uint>, Buffer<uint2>, Buffer<uint4>, or
// RWStructuredBuffer<uint>, the only one with atomics.
enum class Format { kWord, kPair, kQuad, kAtomic };

// Bytes [first, first + bytes) of a buffer. `first` is a multiple of kViewAlignment.
struct View {
  Buffer* buffer = nullptr;
  Format format = Format::kWord;
  uint64_t first = 0;
  uint64_t bytes = 0;
};
inline constexpr uint64_t kViewAlignment = 256;

inline View whole(const BufferPtr& buffer, Format format) {
  return {buffer.get(), format, 0, buffer->size()};
}

// Whether the first 8 bytes of a buffer of the device are zero, or are not. No buffer: always.
struct Condition {
  Buffer* buffer = nullptr;
  bool is_zero = false;
};

struct Shader {
  const uint32_t* code;
  size_t size;  // in bytes
};

inline constexpr uint32_t kGroupSize = 256;  // threads per group, in nearly every shader

// The most views that a shader reads as t0, t1 ... and writes as u0, u1 ..., and the most constants
// in b0. b1 holds the part of a dispatch. Vulkan guarantees no more constants than these together.
inline constexpr int kMaxReads = 6;
inline constexpr int kMaxWrites = 4;
inline constexpr int kMaxConstants = 31;

// Not thread-safe: only the holder of the device's Session uses it.
class Gpu {
 public:
  virtual ~Gpu() = default;

  virtual BufferPtr allocate(Heap heap, uint64_t bytes) = 0;

  // Both are only recorded. They run in order at submit(), or earlier: in parts, as soon as the
  // estimated time of what is recorded reaches tuning().submission.
  virtual void copy(Buffer& to, uint64_t to_first, Buffer& from, uint64_t from_first,
                    uint64_t bytes) = 0;
  virtual void dispatch(const Shader& shader, std::span<const uint32_t> constants,
                        std::span<const View> reads, std::span<const View> writes, uint64_t groups,
                        Cost cost) = 0;

  // What dispatch() records from now on runs only under this condition, which is looked at then. A
  // runtime that lacks conditions runs it always.
  void set_condition(const Condition& condition) { condition_ = condition; }

  // Compiles the shader now, so that a later dispatch() of it cannot fail at that.
  virtual void prepare(const Shader& shader) = 0;

  // Submits everything recorded, to run after all earlier submissions. The value is for wait().
  virtual uint64_t submit() = 0;
  // Waits until that submission and all earlier ones have ended. Throws if the call is asked to
  // stop.
  virtual void wait(uint64_t value) = 0;
  virtual void finish() = 0;  // both
  // Discards what was recorded but not submitted, and waits for the rest.
  virtual void discard() = 0;

  // The life of a device, see lifetime.hpp. After a loss no call can succeed. Once all work that
  // was ever started has ended, retire() may release the memory of all buffers.
  virtual bool lost() const = 0;
  virtual bool ended() = 0;
  virtual void retire() = 0;

  Interrupt& interrupt() { return interrupt_; }  // of the current call

  // The bytes that are left for padding buffers. Freed buffers give theirs back.
  const std::shared_ptr<std::atomic<uint64_t>> spare_memory =
      std::make_shared<std::atomic<uint64_t>>(0);

  Pace pace = Pace::software(1);

  // Whether much grew in the last call that looked first, see growing.hpp: the next one expects it.
  bool much_grows = true;

  // Mesa's software device silently ends the loops of a thread after 65,535 iterations, counted
  // over all of its loops. most_iterations() is how many of them updates may take, as the operators
  // count: in fact they take up to 1.05 times as many, and each row of a group takes 28 more. A
  // group has up to tuning().long_rows_per_group rows.
  bool is_lavapipe = false;
  uint64_t most_iterations() const { return is_lavapipe ? 32'768 : UINT64_MAX; }

 protected:
  Condition condition_;

 private:
  Interrupt interrupt_;
};

// While it lives, what is dispatched runs only under a condition.
class OnlyIf {
 public:
  OnlyIf(Gpu& gpu, const Condition& condition) : gpu_(gpu) { gpu.set_condition(condition); }
  ~OnlyIf() { gpu_.set_condition({}); }
  OnlyIf(const OnlyIf&) = delete;
  OnlyIf& operator=(const OnlyIf&) = delete;

 private:
  Gpu& gpu_;
};

}  // namespace gathernd::d3d12
