#include "d3d12/memory/memory.hpp"
#include "d3d12/gpu/tuning.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/memory/pack.hpp"
#include "gathernd/gathernd.hpp"
#include "runtime/buffer.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint64_t kCleanBytes = kViewAlignment;

struct Arriving {
  const std::byte* data;
  uint64_t bytes;
  uint64_t value;  // of the submission that copies it
};

}  // namespace

// Recorded work runs in order, behind barriers. So a buffer is free as soon as its last user has
// been recorded, and a few buffers, which stay in the device's caches, are used again and again.
BufferPtr Memory::take(uint64_t bytes) {
  while (true) {
    if (BufferPtr lease = pool_->lease(bytes)) return lease;
    trim_pool();
    pool_->add(allocate(bytes));
  }
}

BufferPtr Memory::allocate(uint64_t bytes) {
  try {
    return gpu_.allocate(Heap::kDevice, bytes);
  } catch (const OutOfMemory&) {
    release_for_call();
    return gpu_.allocate(Heap::kDevice, bytes);
  }
}

// This includes the host's memory, because a software device uses that.
void Memory::release_for_call() {
  epochs_ = {};
  clean_ = nullptr;
  pool_->let_go(0);
  release_memory();
}

uint64_t Memory::release() {
  epochs_ = {};
  clean_ = nullptr;
  return pool_->let_go(0) + up_.release() + down_.release();
}

// Recorded work keeps its own buffers alive. The kept entries count towards the limit.
void Memory::trim_pool() { pool_->let_go(tuning().kept_bytes - epochs_.slots() * 4); }

void Memory::trim() {
  trim_pool();
  up_.trim();
  down_.trim();
}

void Memory::give_clean(BufferPtr words) { clean_ = std::move(words); }

BufferPtr Memory::take_clean(uint64_t words) {
  if (words * 4 <= kCleanBytes && clean_ != nullptr) return std::move(clean_);
  BufferPtr buffer = take(std::max(words * 4, kCleanBytes));
  clear(gpu_, d3d12::words(buffer, std::max(words, kCleanBytes / 4)), kNone);
  return buffer;
}

EpochTable Memory::take_epoch_table(uint64_t slots) {
  if (epochs_.words() != nullptr && slots <= epochs_.slots()) return std::exchange(epochs_, {});
  epochs_ = {};  // free the old ones first: the new ones may get their memory
  return {take(slots * 4), slots};
}

void Memory::give_epoch_table(EpochTable table) {
  if (table.slots() > epochs_.slots() && table.slots() * 4 <= tuning().kept_bytes)
    epochs_ = std::move(table);
}

void Memory::upload_pieces(Buffer& to, uint64_t bytes, uint64_t granule, const Fill& fill) {
  const uint64_t most = Staging::piece_bytes(granule);
  for (uint64_t first = 0; first < bytes; first += most) {
    const uint64_t size = std::min(most, bytes - first);
    const Staging::Piece piece = up_.take(size);
    fill(piece.data, first, size);
    gpu_.copy(to, first, piece.buffer, piece.first, size);
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
  const Staging::Piece piece = down_.take(bytes);
  gpu_.copy(piece.buffer, piece.first, from, first, bytes);
  finish();
  std::memcpy(to, piece.data, bytes);
}

void Memory::download(Buffer& from, std::span<const Region> regions, std::byte* to) {
  const uint64_t most = Staging::piece_bytes(1);
  std::deque<Arriving> arriving;
  const auto arrive = [&] {
    const Arriving piece = arriving.front();
    arriving.pop_front();
    gpu_.wait(piece.value);
    copy_bytes(piece.data, piece.bytes, to);
    to += piece.bytes;
  };
  uint64_t taken = 0;  // of the first region
  while (!regions.empty()) {
    if (arriving.size() == Staging::kBlocks - 1) arrive();
    // The piece is full, or has all that is left.
    uint64_t size = 0;
    for (size_t i = 0; i < regions.size() && size < most; ++i) {
      size += regions[i].bytes - (i == 0 ? taken : 0);
    }
    size = std::min(size, most);
    const Staging::Piece piece = down_.take(size);
    for (uint64_t done = 0; done < size;) {
      const Region& region = regions.front();
      const uint64_t bytes = std::min(size - done, region.bytes - taken);
      gpu_.copy(piece.buffer, piece.first + done, from, region.first + taken, bytes);
      done += bytes;
      taken += bytes;
      if (taken < region.bytes) continue;
      regions = regions.subspan(1);
      taken = 0;
    }
    arriving.push_back({piece.data, size, gpu_.submit()});
  }
  while (!arriving.empty()) arrive();
  finish();
}

void Memory::finish() {
  gpu_.finish();
  restart();
}

void Memory::restart() {
  up_.restart();
  down_.restart();
}

void Memory::discard() {
  epochs_ = {};
  restart();
}

void Memory::download(Buffer& from, const Tensor& to, bool fresh, const Status* status) {
  const auto element = static_cast<uint64_t>(to.dtype.size);
  const uint64_t bytes = packed_bytes(to);
  const uint64_t most = Staging::piece_bytes(element);
  const std::byte* words = nullptr;
  if (status != nullptr) {
    const Staging::Piece piece = down_.take(status->count * 4);
    gpu_.copy(piece.buffer, piece.first, status->words, 0, status->count * 4);
    words = piece.data;
  }
  const auto look = [&] {
    if (status != nullptr) status->look(reinterpret_cast<const uint32_t*>(words));
  };
  if (bytes == 0) {
    finish();
    return look();
  }
  // With several pieces, a later one could fail after the first has been written, so they go
  // through scratch memory.
  std::optional<gathernd::Buffer<std::byte>> scratch;
  if (!fresh && most < bytes) scratch.emplace(bytes);
  std::deque<Arriving> arriving;
  uint64_t asked = 0;
  const auto ask = [&] {
    const uint64_t size = std::min(most, bytes - asked);
    const Staging::Piece piece = down_.take(size);
    gpu_.copy(piece.buffer, piece.first, from, asked, size);
    arriving.push_back({piece.data, size, gpu_.submit()});
    asked += size;
  };
  ask();
  for (uint64_t first = 0; first < bytes; first += most) {
    const Arriving piece = arriving.front();
    arriving.pop_front();
    gpu_.wait(piece.value);
    if (first == 0) look();
    // Ask for more only after the status was checked; and for no more than needed, because vkd3d
    // may spin while it waits for several submissions.
    while (asked < bytes && arriving.size() < Staging::kBlocks - 1) ask();
    if (!fresh && !scratch) gpu_.interrupt().hold();
    if (scratch) {
      copy_bytes(piece.data, piece.bytes, scratch->data() + first);
    } else {
      unpack(piece.data, static_cast<int64_t>(first / element),
             static_cast<int64_t>(piece.bytes / element), to);
    }
  }
  finish();
  if (!scratch) return;
  gpu_.interrupt().hold();
  unpack(scratch->data(), 0, static_cast<int64_t>(bytes / element), to);
}

}  // namespace gathernd::d3d12
