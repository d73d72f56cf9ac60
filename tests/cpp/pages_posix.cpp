#include <sys/mman.h>
#include <unistd.h>

#include "pages.hpp"

namespace gathernd::test {

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

std::byte* reserve_pages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

bool open_pages(std::byte* first, size_t bytes) {
  return mprotect(first, bytes, PROT_READ | PROT_WRITE) == 0;
}

void release_pages(std::byte* first, size_t bytes) { munmap(first, bytes); }

}  // namespace gathernd::test
