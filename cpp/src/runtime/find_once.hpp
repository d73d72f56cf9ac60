// Settings that are read from the environment at their first use.
#pragma once

#include <atomic>

namespace gathernd {

// The value, found where it is T{} yet; a bad environment throws. Threads that ask at once may each
// find it, of which the first stays: no lock, which a forked child could find taken.
template <class T>
T find_once(std::atomic<T>& value, T (*find)()) {
  T known = value.load(std::memory_order_acquire);
  if (known != T{}) return known;
  const T found = find();
  return value.compare_exchange_strong(known, found) ? found : known;
}

}  // namespace gathernd
