// Which ways the calls of a thread go: for tests, and for programs that show it.
#pragma once

#include <string>
#include <vector>

namespace gathernd {

// Records the calls of the thread that made it, until its end.
class Trace {
 public:
  Trace() : outer_(current_) { current_ = this; }
  ~Trace() { current_ = outer_; }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const std::vector<std::string>& calls() const { return calls_; }

  // text(strategy) tells what a call does.
  template <class Strategy>
  static void record(const char* op, const Strategy& strategy) {
    if (current_ != nullptr) current_->calls_.push_back(op + (": " + text(strategy)));
  }

 private:
  static thread_local Trace* current_;

  Trace* outer_;
  std::vector<std::string> calls_;
};

}  // namespace gathernd
