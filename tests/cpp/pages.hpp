// Memory by the page, so that an access outside faults: pages_posix.cpp, pages_windows.cpp.
#pragma once

#include <cstddef>

namespace gathernd::test {

size_t page_size();

// Addresses of which none can be accessed yet; null where there are not that many.
std::byte* reserve_pages(size_t bytes);

// Lets whole pages, from one that `first` begins, be read and written.
bool open_pages(std::byte* first, size_t bytes);

void release_pages(std::byte* first, size_t bytes);

}  // namespace gathernd::test
