// What the tests share: guarded memory, random numbers, the settings in turn.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/targets.hpp"
#include "gathernd/gathernd.hpp"

namespace gathernd::test {

// Bytes that begin after sentinels and end `slack` sentinels before a page that faults, so that a
// write outside is seen and a read far past the end stops the program. Slack misaligns the end.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size, size_t slack = 0);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;

  std::byte* data() { return data_; }
  size_t size() const { return size_; }
  void fill(std::byte value) { std::memset(data_, static_cast<int>(value), size_); }
  std::span<const std::byte> view() const { return {data_, size_}; }
  std::vector<std::byte> bytes() const { return {data_, data_ + size_}; }
  bool guards_intact() const;  // nothing around the bytes was written

 private:
  std::byte* pages_;
  size_t mapped_;
  std::byte* data_;
  size_t size_;
};

// How many random calls a test makes.
constexpr int trials(int n) { return n / GATHERND_FEWER_TRIALS; }

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // The numbers come from these bytes while there are any: a fuzzer chooses them.
  explicit Random(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  // From low to high, both included. The same numbers with every standard library.
  int64_t operator()(int64_t low, int64_t high) {
    const uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    const uint64_t number = next(last);
    return low + static_cast<int64_t>(last == UINT64_MAX ? number : number % (last + 1));
  }
  uint64_t bits() { return next(UINT64_MAX); }
  bool one_in(int64_t n) { return (*this)(1, n) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[(*this)(0, static_cast<int64_t>(values.size()) - 1)];
  }
  void fill(GuardedBuffer& buffer) {
    for (size_t i = 0; i < buffer.size(); i += sizeof(uint64_t)) {
      const uint64_t bits = engine_();
      std::memcpy(buffer.data() + i, &bits, std::min(sizeof(bits), buffer.size() - i));
    }
  }

 private:
  // Of the bytes, as many as numbers up to `last` need.
  uint64_t next(uint64_t last) {
    if (bytes_.empty()) return engine_();
    uint64_t number = 0;
    for (; last > 0 && !bytes_.empty(); last >>= 8, bytes_ = bytes_.subspan(1)) {
      number = number << 8 | bytes_.front();
    }
    return number;
  }

  std::mt19937_64 engine_;
  std::span<const uint8_t> bytes_;
};

// Sets target, threads and grain until the end of the scope.
class Configured {
 public:
  Configured(std::string_view target, int threads, int64_t grain);
  ~Configured();
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;

 private:
  std::string target_;
  int threads_;
  int64_t grain_;
};

// Calls f(kernels) with each SIMD target in use.
template <class F>
void on_every_target(F f) {
  for (const Target& target : targets()) {
    INFO("target ", std::string(target.name));
    const Configured configured(target.name, 1, 0);
    f(target.kernels);
  }
}

// The sizes that matter to kernels that work a vector at a time.
inline constexpr size_t kMostLanes = 16;
inline constexpr size_t kMostTuples = 2 * kMostLanes + 1;

// The coordinates of a position in C order.
Dims unravel(int64_t position, std::span<const int64_t> shape);

// Where an element lies from the first one, in bytes.
int64_t offset_of(const Dims& at, std::span<const int64_t> strides);

inline std::span<const int64_t> span(const Dims& dims) { return {dims.begin(), dims.end()}; }

inline int64_t count(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

// The message of the Error of this kind that f throws; otherwise the test fails.
template <class F>
std::string error_of(ErrorKind kind, F f) {
  try {
    f();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  FAIL("no error");
  return "";
}

}  // namespace gathernd::test
