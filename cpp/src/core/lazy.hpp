// Values that are made when they are first asked for.
#pragma once

#include <atomic>
#include <memory>

namespace gathernd {

// Never destroyed: threads may be in a call when the process ends. Threads that ask at once may
// each make one, of which the first stays: no lock that a forked child could find taken (that of a
// function's static neither), and no std::call_once, which not every C library leaves by an
// exception.
template <class T>
class Forever {
 public:
  constexpr Forever() = default;
  Forever(const Forever&) = delete;
  Forever& operator=(const Forever&) = delete;

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

// The same, destroyed with its owner.
template <class T>
class Lazy : public Forever<T> {
 public:
  Lazy() = default;
  ~Lazy() { delete this->peek(); }
};

}  // namespace gathernd
