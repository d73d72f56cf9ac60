// Memory that runs out: the allocation of a given number fails, of any thread of the process.
#include <cerrno>
#include <cstddef>

#include <atomic>

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

std::atomic<long> first{0}, last{-1};  // those that fail, counted from 1; none by default
std::atomic<long> seen{0};
std::atomic<long> failed{0};

bool fails() {
  if (last < 0) return false;
  const long number = ++seen;
  if (number < first || number > last) return false;
  ++failed;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

// `count` allocations fail from number `number` on.
void fail_allocations(long number, long count) {
  seen = 0;
  failed = 0;
  first = number;
  last = number + count - 1;
}

// No more; returns how many did.
long stop_failing() {
  last = -1;
  return failed;
}

void* malloc(size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) {
  return fails() ? nullptr : __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* const found = memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
}
