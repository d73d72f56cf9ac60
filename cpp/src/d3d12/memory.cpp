#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "gathernd/error.hpp"
#include "geometry.hpp"
#include "kernels.hpp"
#include "pack.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint64_t kCleanBytes = kViewAlignment;
constexpr uint64_t kKept = uint64_t{256} << 20;  // bytes that wait for the next call

// Whole elements of at most the staging's size.
uint64_t piece_bytes(uint64_t granule) {
  return std::max<uint64_t>(limits().staging / granule, 1) * granule;
}

}  // namespace

// What was recorded runs in order, behind barriers: a buffer is free as soon as its last user has
// been recorded, and then the same few stay in the device's caches.
BufferPtr Memory::take(uint64_t bytes) {
  const auto fits = [&](const Scratch& scratch) {
    const uint64_t size = scratch.buffer->size();
    return scratch.lease.expired() && size >= bytes && size / 2 <= bytes + 4096;
  };
  auto found = std::ranges::find_if(scratch_, fits);
  if (found == scratch_.end()) {
    trim();
    scratch_.push_back({gpu_.allocate(Heap::kDevice, bytes), {}});
    found = std::prev(scratch_.end());
  }
  const BufferPtr lease(found->buffer.get(), [kept = found->buffer](Buffer*) {});
  found->lease = lease;
  return lease;
}

void Memory::give_clean(BufferPtr words) { clean_.push_back(std::move(words)); }

BufferPtr Memory::take_clean(uint64_t words) {
  if (words * 4 <= kCleanBytes && !clean_.empty()) {
    BufferPtr buffer = std::move(clean_.back());
    clean_.pop_back();
    return buffer;
  }
  const uint64_t bytes = std::max(words * 4, kCleanBytes);
  BufferPtr buffer = take(bytes);
  clear(gpu_, buffer, bytes, kNone);
  return buffer;
}

// Lets free buffers go, largest first, until little is left.
void Memory::trim() {
  uint64_t kept = 0;
  std::ranges::sort(scratch_, {}, [](const Scratch& scratch) { return scratch.buffer->size(); });
  std::erase_if(scratch_, [&](const Scratch& scratch) {
    if (!scratch.lease.expired()) return false;
    kept += scratch.buffer->size();
    return kept > kKept;
  });
}

std::byte* Memory::staging(BufferPtr& buffer, Heap heap, uint64_t bytes) {
  if (buffer == nullptr || buffer->size() < bytes) {
    const uint64_t roomy = std::min(std::max(bytes * 2, uint64_t{1} << 20), limits().staging);
    buffer = nullptr;
    buffer = gpu_.allocate(heap, std::max(bytes, roomy));
  }
  return buffer->mapped();
}

void Memory::upload_pieces(Buffer& to, uint64_t bytes, uint64_t granule, const Fill& fill) {
  const uint64_t most = piece_bytes(granule);
  for (uint64_t first = 0; first < bytes;) {
    const uint64_t size = std::min(most, bytes - first);
    const uint64_t room = up_ == nullptr ? 0 : up_->size() - used_;
    if (size > room && used_ != 0) {
      gpu_.finish();
      used_ = 0;
    }
    std::byte* start = staging(up_, Heap::kUpload, std::max(size, used_ + size));
    fill(start + used_, first, size);
    gpu_.copy(to, first, *up_, used_, size);
    used_ = (used_ + size + 15) & ~uint64_t{15};
    used_ = std::min(used_, up_->size());
    first += size;
  }
}

void Memory::upload(Buffer& to, const Tensor& from) {
  const auto size = static_cast<uint64_t>(from.dtype.size);
  upload_pieces(
      to, packed_bytes(from), size, [&](std::byte* target, uint64_t first, uint64_t bytes) {
        pack(from, static_cast<int64_t>(first / size), static_cast<int64_t>(bytes / size), target);
      });
}

void Memory::upload(Buffer& to, const void* from, uint64_t bytes) {
  upload_pieces(to, bytes, 1, [&](std::byte* target, uint64_t first, uint64_t count) {
    std::memcpy(target, static_cast<const std::byte*>(from) + first, count);
  });
}

void Memory::download(Buffer& from, uint64_t first, uint64_t bytes, void* to) {
  const std::byte* mapped = staging(down_, Heap::kReadback, bytes);
  gpu_.copy(*down_, 0, from, first, bytes);
  finish();
  std::memcpy(to, mapped, bytes);
}

void Memory::download(Buffer& from, const Tensor& to, bool fresh) {
  finish(from, 0, [](const uint32_t*) {}, from, to, fresh);
}

void Memory::finish() {
  gpu_.finish();
  used_ = 0;
}

void Memory::finish(Buffer& words, size_t word_count,
                    const std::function<void(const uint32_t*)>& ready, Buffer& from,
                    const Tensor& to, bool fresh) {
  const auto element = static_cast<uint64_t>(to.dtype.size);
  const uint64_t bytes = packed_bytes(to);
  const uint64_t most = std::min(piece_bytes(element), bytes);
  const uint64_t head = (word_count * 4 + 255) & ~uint64_t{255};
  const std::byte* mapped = staging(down_, Heap::kReadback, head + most);
  // More than one piece: a later one could fail when the first has been written.
  std::unique_ptr<std::byte[]> scratch;
  if (!fresh && most < bytes) scratch = std::make_unique_for_overwrite<std::byte[]>(bytes);
  gpu_.copy(*down_, 0, words, 0, word_count * 4);
  for (uint64_t first = 0; first == 0 || first < bytes; first += most) {
    const uint64_t size = std::min(most, bytes - first);
    gpu_.copy(*down_, head, from, first, size);
    finish();
    if (first == 0) ready(reinterpret_cast<const uint32_t*>(mapped));
    if (bytes == 0) return;
    if (scratch != nullptr) {
      std::memcpy(scratch.get() + first, mapped + head, size);
    } else {
      unpack(mapped + head, static_cast<int64_t>(first / element),
             static_cast<int64_t>(size / element), to);
    }
  }
  if (scratch != nullptr) unpack(scratch.get(), 0, static_cast<int64_t>(bytes / element), to);
}

}  // namespace gathernd::d3d12
