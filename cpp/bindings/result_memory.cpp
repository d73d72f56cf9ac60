#include "result_memory.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>

#include "cpu/buffer.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd::bindings {
namespace {

constexpr size_t kHuge = size_t{1} << 21;      // bytes of a huge page
constexpr size_t kMostKept = size_t{1} << 28;  // bytes of a block

// What stands before the memory of an array.
struct alignas(64) Block {
  size_t capacity;  // bytes, with this
};

std::array<std::atomic<Block*>, 2> kept;  // the newest first; no lock, for forked children

void release(Block* block) { give_block(block, block->capacity); }

// The oldest makes room.
void keep(Block* block) {
  for (auto& place : kept) {
    block = place.exchange(block);
    if (block == nullptr) return;
  }
  release(block);
}

// A kept block of `capacity` bytes, or less than twice as many; else null.
Block* find_kept(size_t capacity) {
  for (auto& place : kept) {
    Block* block = place.exchange(nullptr);
    if (block == nullptr) continue;
    if (block->capacity >= capacity && block->capacity / 2 < capacity) return block;
    Block* none = nullptr;  // where it was: the newest stay first
    if (!place.compare_exchange_strong(none, block)) keep(block);
  }
  return nullptr;
}

Block* take_new(size_t capacity) {
  const auto take = [=] { return new (take_block(capacity)) Block{capacity}; };
  try {
    return take();
  } catch (const std::bad_alloc&) {
    for (auto& place : kept) {
      if (Block* block = place.exchange(nullptr)) release(block);
    }
    return take();
  }
}

// The functions of NumPy's PyDataMemAllocator, which return null where memory is short.

void* allocate(void*, size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX - 2 * kHuge) return nullptr;
  const size_t capacity = (bytes + sizeof(Block) + kHuge - 1) / kHuge * kHuge;
  try {
    Block* block = find_kept(capacity);
    if (block == nullptr) block = take_new(capacity);
    return block + 1;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* allocate_zeros(void*, size_t count, size_t size) noexcept {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* memory = allocate(nullptr, count * size);
  return memory != nullptr ? std::memset(memory, 0, count * size) : nullptr;
}

void deallocate(void*, void* memory, size_t) noexcept {
  if (memory == nullptr) return;
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->capacity > kMostKept) return release(block);
#if defined(__linux__)
  // What the system takes back comes again as zeros: all but the page of the Block.
  madvise(reinterpret_cast<std::byte*>(block) + kHuge, block->capacity - kHuge, MADV_FREE);
#endif
  keep(block);
}

void* reallocate(void*, void* memory, size_t bytes) noexcept {
  if (memory == nullptr) return allocate(nullptr, bytes);
  const size_t room = (static_cast<Block*>(memory) - 1)->capacity - sizeof(Block);
  if (bytes <= room) return memory;
  void* larger = allocate(nullptr, bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, memory, room);
  deallocate(nullptr, memory, 0);
  return larger;
}

// NumPy's PyDataMem_Handler, version 1 (its NEP 49).
struct Handler {
  char name[127];
  uint8_t version;
  void* context;
  void* (*allocate)(void*, size_t);
  void* (*allocate_zeros)(void*, size_t, size_t);
  void* (*reallocate)(void*, void*, size_t);
  void (*deallocate)(void*, void*, size_t);
};

PyObject* (*set_handler)(PyObject*);  // PyDataMem_SetHandler: returns the one before
PyObject* kept_handler;

}  // namespace

void find_numpy_memory() {
  constexpr size_t kSetHandler = 304;
  static Handler handler{"gathernd", 1, nullptr, allocate, allocate_zeros, reallocate, deallocate};
  const py::capsule api = py::module_::import("numpy._core.multiarray").attr("_ARRAY_API");
  set_handler = reinterpret_cast<decltype(set_handler)>(api.get_pointer<void*>()[kSetHandler]);
  kept_handler = py::capsule(&handler, "mem_handler").release().ptr();
}

KeptMemory::KeptMemory() : others_(set_handler(kept_handler)) {
  if (others_ == nullptr) throw py::error_already_set();
}

KeptMemory::~KeptMemory() {
  const py::error_scope pending;
  Py_XDECREF(set_handler(others_));
  Py_DECREF(others_);
}

}  // namespace gathernd::bindings
