#include <windows.h>

#include "pages.hpp"

namespace gathernd::test {

size_t page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

std::byte* reserve_pages(size_t bytes) {
  return static_cast<std::byte*>(VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS));
}

bool open_pages(std::byte* first, size_t bytes) {
  return VirtualAlloc(first, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

void release_pages(std::byte* first, size_t) { VirtualFree(first, 0, MEM_RELEASE); }

}  // namespace gathernd::test
