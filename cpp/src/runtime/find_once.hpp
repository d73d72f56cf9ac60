// Settings that are read from the environment when they are first used.
#pragma once

#include <atomic>

namespace gathernd {

// Returns the value, after setting it by `find` if it is still T{}. A bad environment throws.
// Several threads may call `find`; the first result stays. No lock: a forked child could find it
// held.
template <class T>
T find_once(std::atomic<T>& value, T (*find)()) {
  T known = value.load(std::memory_order_acquire);
  if (known != T{}) return known;
  const T found = find();
  return value.compare_exchange_strong(known, found) ? found : known;
}

}  // namespace gathernd
