// Values that are created when they are first needed.
#pragma once

#include <atomic>
#include <memory>

namespace gathernd {

// Never destroyed, because threads may be in a call when the process ends. Several threads may each
// make a value; the first one stays. A lock, also that of a function's static variable, could be
// held for ever in a forked child, and std::call_once does not survive an exception everywhere.
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

  const T* peek() const { return value_.load(); }  // null before the first get()

 private:
  mutable std::atomic<const T*> value_ = nullptr;
};

// The same for a value that its users change, made without arguments.
template <class T>
class ForeverShared : public Forever<std::unique_ptr<T>> {
 public:
  T& get() const {
    return *Forever<std::unique_ptr<T>>::get([] { return std::make_unique<T>(); });
  }
};

// The same as Forever, but destroyed with its owner.
template <class T>
class Lazy : public Forever<T> {
 public:
  Lazy() = default;
  ~Lazy() { delete this->peek(); }
};

}  // namespace gathernd
