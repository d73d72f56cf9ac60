// The default floating-point environment.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(_M_X64) || defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gathernd {

// Sets the default environment, and restores the old one at the end, flags of exceptions included.
// The process may have set flush-to-zero or another rounding; results must depend neither on that
// nor on the thread.
#if defined(__x86_64__)
// fesetenv takes 100 ns per call, most of it for the x87, which only long double uses. So the x87's
// control and status words are read, and written only if that changes something.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    asm volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control_), "=m"(status_));
    if (control_ != kControl) set_control(kControl);
    _mm_setcsr(0x1f80);
  }
  ~DefaultFloatEnvironment() {
    _mm_setcsr(saved_);
    if (control_ != kControl) set_control(control_);
    uint16_t status;
    asm volatile("fnstsw %0" : "=m"(status));
    if (((status ^ status_) & kFlags) != 0) restore_flags();
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  static constexpr uint16_t kControl = 0x037f, kFlags = 0x3f;

  static void set_control(uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); }

  void restore_flags() const {
    struct {
      uint16_t control, unused1, status, unused2;
      uint32_t others[5];
    } environment;
    asm volatile("fnstenv %0" : "=m"(environment));
    environment.control = control_;  // fnstenv masks all exceptions
    environment.status = static_cast<uint16_t>((environment.status & ~kFlags) | (status_ & kFlags));
    asm volatile("fldenv %0" : : "m"(environment));
  }

  const unsigned saved_ = _mm_getcsr();
  uint16_t control_, status_;
};
#elif defined(_M_X64)
// MSVC: its fesetenv does not change flush-to-zero, and its long double is a double.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  const unsigned saved_ = _mm_getcsr();
};
#else
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};
#endif

}  // namespace gathernd
