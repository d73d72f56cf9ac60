#include "cpu/settings.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "cpu/kernels.hpp"
#include "gathernd/error.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace gathernd {
namespace {

int check_threads(int64_t count, const std::string& source) {
  constexpr int kMost = 1024;
  if (count < 1 || count > kMost) {
    throw Error(ErrorKind::kValue,
                source + " must be a whole number from 1 to " + std::to_string(kMost));
  }
  return static_cast<int>(count);
}

// Those that the process may use: std::thread counts all that are there.
int count_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

int default_threads(int processors) {
  if (const char* text = std::getenv("GATHERND_NUM_THREADS"); text && *text) {
    int64_t count = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, count);
    const bool whole = error == std::errc() && stop == end;
    return check_threads(whole ? count : 0,
                         std::string("GATHERND_NUM_THREADS=") + text + " is refused: it");
  }
  return processors;
}

const Target& find_target(std::string_view wanted, const std::string& source) {
  std::string known;
  for (const Target& target : targets()) {
    if (target.name == wanted) return target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  throw Error(ErrorKind::kValue, source + " must be one of the targets of this machine: " + known);
}

const Target& default_target() {
  if (const char* text = std::getenv("GATHERND_CPU_TARGET"); text && *text) {
    return find_target(text, std::string("GATHERND_CPU_TARGET=") + text + " is refused: it");
  }
  return targets().front();
}

struct Settings {
  const int processors = count_processors();
  std::atomic<int> threads = default_threads(processors);
  std::atomic<const Target*> target = &default_target();
  std::atomic<int64_t> grain = 0;
};

// Made at the first use, so that a bad environment throws there and not before main.
Settings& settings() {
  static Settings instance;
  return instance;
}

}  // namespace

int processors() { return settings().processors; }

int num_threads() { return settings().threads; }

void set_num_threads(int count) {
  settings().threads =
      check_threads(count, "set_num_threads: " + std::to_string(count) + " is refused: it");
}

std::vector<std::string_view> cpu_targets() {
  std::vector<std::string_view> names;
  for (const Target& target : targets()) names.push_back(target.name);
  return names;
}

std::string_view cpu_target() { return settings().target.load()->name; }

void set_cpu_target(std::string_view target) {
  settings().target =
      &find_target(target, "set_cpu_target: \"" + std::string(target) + "\" is refused: it");
}

const Kernels& kernels() { return settings().target.load()->kernels; }

int64_t grain() { return settings().grain; }

void set_grain(int64_t items) { settings().grain = items; }

int64_t grain_for(int64_t bytes) {
  if (const int64_t fixed = grain(); fixed > 0) return fixed;
  // Waking a thread costs about 10 us: give it twice that, at 2 ns an item and 10 GB/s.
  constexpr int64_t kNanoseconds = 20'000;
  return std::max<int64_t>(1, kNanoseconds / (2 + bytes / 10));
}

}  // namespace gathernd
