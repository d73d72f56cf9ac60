// A call that is run, and what is wrong with what it did.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "oracle.hpp"

namespace gathernd::test {

// kScratch: into a fresh output; kComponents: by the call's components, if it has any.
enum class Way { kFunction, kScratch, kComponents, kIndexPlan };

// Runs it; what the library throws comes out. The CPU's backend where it is null.
void run(const Call& call, Way way, Backend* backend = nullptr);

// The memories of a call, as they were.
class Snapshot {
 public:
  explicit Snapshot(const Call& call);
  void accept(const Array& array);  // takes over what it holds now
  void restore() const;
  bool unchanged() const;
  bool operator==(const Snapshot&) const = default;  // of the same call

 private:
  std::map<std::shared_ptr<GuardedBuffer>, std::vector<std::byte>> before_;
};

// Runs the call. Empty where it did what is expected: the elements of the output or the message,
// and every other byte as before.
std::string failure_of(const Call& call, const Answer& expected, Way way,
                       Backend* backend = nullptr);

}  // namespace gathernd::test
