#include "runtime/trace.hpp"

namespace gathernd {

constinit thread_local Trace* Trace::current_ = nullptr;

}  // namespace gathernd
