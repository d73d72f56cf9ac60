// A value that is made when it is first asked for.
#pragma once

#include <atomic>
#include <memory>

namespace gathernd {

// Threads that ask at once may each make one, of which the first stays: no lock that a forked child
// could find taken, and no std::call_once, which not every C library leaves by an exception.
template <class T>
class Lazy {
 public:
  Lazy() = default;
  ~Lazy() { delete value_.load(); }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  template <class Make>
  const T& get(Make make) const {
    if (const T* const known = peek()) return *known;
    std::unique_ptr<const T> made(new T(make()));
    const T* first = nullptr;
    if (value_.compare_exchange_strong(first, made.get())) return *made.release();
    return *first;
  }

  const T* peek() const { return value_.load(); }  // null before

 private:
  mutable std::atomic<const T*> value_ = nullptr;
};

}  // namespace gathernd
