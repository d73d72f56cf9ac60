// Freed memory that is kept for its next user. The system clears every new page, which can take as
// long as the work done on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "gathernd/gathernd.hpp"

namespace gathernd {

// claim_kept counts `bytes` more as kept; it returns false if the total would exceed keep_limit().
// Call drop_kept when they are used again or freed. No lock: a forked child could find it held.
bool claim_kept(size_t bytes) noexcept;
void drop_kept(size_t bytes) noexcept;

// Allocates memory. Throws std::bad_alloc if there is not enough even after all kept memory has
// been released.
void* allocate(size_t bytes, std::align_val_t alignment);

// Calls f. If it runs out of memory while some is kept, releases that and calls f once more. So f
// must change nothing that matters before it throws std::bad_alloc.
template <class F>
void again_with_released(F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    if (release_memory() == 0) throw;
  }
  f();
}

}  // namespace gathernd
