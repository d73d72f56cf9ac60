#include "runtime/settings.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gathernd/error.hpp"
#include "runtime/cpu_quota.hpp"
#include "runtime/find_once.hpp"
#include "runtime/os.hpp"

namespace gathernd {
namespace {

int check_threads(int64_t count, const std::string& source) {
  if (count < 1 || count > kMostThreads) {
    throw Error(ErrorKind::kValue,
                source + " must be a whole number from 1 to " + std::to_string(kMostThreads));
  }
  return static_cast<int>(count);
}

// The smaller of the affinity and the container's quota.
int find_processors() {
  const int allowed = allowed_processors();
  const int quota = quota_processors();
  return quota == 0 ? allowed : std::min(allowed, quota);
}

int default_threads() {
  if (const char* text = std::getenv("GATHERND_NUM_THREADS"); text && *text) {
    int64_t count = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, count);
    const bool whole = error == std::errc() && stop == end;
    return check_threads(whole ? count : 0,
                         std::string("GATHERND_NUM_THREADS=") + text + " is refused: it");
  }
  return processors();
}

// A result of 64 MiB, and as much scratch of the call that made it.
constexpr uint64_t kKeepByDefault = uint64_t{128} << 20;

// One more than the limit, because 0 is a valid limit.
uint64_t find_keep_limit_plus_1() {
  const char* text = std::getenv("GATHERND_KEEP_MEMORY");
  if (text == nullptr || *text == '\0') return kKeepByDefault + 1;
  uint64_t count = 0;
  const auto [stop, error] = std::from_chars(text, text + std::strlen(text), count);
  const std::string_view unit = stop;
  const int shift = unit.empty()    ? 0
                    : unit == "KiB" ? 10
                    : unit == "MiB" ? 20
                    : unit == "GiB" ? 30
                                    : -1;
  constexpr uint64_t kMost = uint64_t{1} << 60;
  if (error != std::errc() || shift < 0 || count > kMost >> shift) {
    throw Error(ErrorKind::kValue, std::string("GATHERND_KEEP_MEMORY=") + text +
                                       " is refused: it must be a whole number of bytes, or one "
                                       "followed by KiB, MiB or GiB, of at most 2**60 bytes");
  }
  return (count << shift) + 1;
}

// Found at the first use, so that a bad environment throws then and not before main; 0 until then.
constinit std::atomic<int> processor_count{0}, thread_count{0};
constinit std::atomic<uint64_t> keep_limit_plus_1{0};
constinit std::atomic<int64_t> fixed_grain{0};

constinit thread_local int thread_limit = 0;  // 0: none

}  // namespace

int processors() { return find_once(processor_count, find_processors); }

int process_threads() { return find_once(thread_count, default_threads); }

int num_threads() {
  const int count = process_threads();
  return thread_limit == 0 ? count : std::min(thread_limit, count);
}

void limit_threads(int count) {
  if (count != 0) {
    count = check_threads(count, "threads: " + std::to_string(count) + " is refused: it");
  }
  thread_limit = count;
}

uint64_t keep_limit() { return find_once(keep_limit_plus_1, find_keep_limit_plus_1) - 1; }

void read_environment() {
  process_threads();
  keep_limit();
}

void set_num_threads(int count) {
  thread_count =
      check_threads(count, "set_num_threads: " + std::to_string(count) + " is refused: it");
}

int64_t grain() { return fixed_grain; }

void set_grain(int64_t items) { fixed_grain = items; }

int64_t grain_or(int64_t measured) {
  const int64_t fixed = grain();
  return fixed > 0 ? fixed : measured;
}

int64_t grain_for(int64_t bytes) {
  // Waking a thread costs about 10 us, so it gets work for 20 us, at 2 ns per item and 10 GB/s.
  constexpr int64_t kNanoseconds = 20'000;
  return grain_or(std::max<int64_t>(1, kNanoseconds / (2 + bytes / 10)));
}

}  // namespace gathernd
