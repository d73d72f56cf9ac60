// Freed memory that waits for its next user: the system clears each page that it gives, which can
// take as long as the work done there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "gathernd/gathernd.hpp"

namespace gathernd {

// Whether so many bytes more may be kept: all together are at most keep_limit(). Who keeps them
// drops them when they are taken or freed. No lock, which a forked child could find taken.
bool claim_kept(size_t bytes) noexcept;
void drop_kept(size_t bytes) noexcept;

// What buffer.cpp keeps: gives it back to the system and returns its bytes.
size_t release_blocks() noexcept;

// Calls f, and once more if it found no memory while some was kept. Until it throws, f changes
// nothing that matters then.
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
