#include "result_memory.hpp"

#include <cstdint>
#include <cstring>

#include "runtime/buffer.hpp"

namespace gathernd::bindings {
namespace {

// The functions of NumPy's PyDataMemAllocator. They return null if there is not enough memory.

void* allocate(void*, size_t bytes) noexcept { return take_result(bytes); }

void* allocate_zeros(void*, size_t count, size_t size) noexcept {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* memory = allocate(nullptr, count * size);
  return memory != nullptr ? std::memset(memory, 0, count * size) : nullptr;
}

void deallocate(void*, void* memory, size_t) noexcept {
  if (memory != nullptr) give_result(memory);
}

void* reallocate(void*, void* memory, size_t bytes) noexcept {
  if (memory == nullptr) return take_result(bytes);
  const size_t room = result_capacity(memory);
  if (bytes <= room) return memory;
  void* larger = take_result(bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, memory, room);
  give_result(memory);
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

PyObject* (*set_handler)(PyObject*);  // PyDataMem_SetHandler: returns the previous handler
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
