// For C libraries that open every library.
#include "d3d12/runtime/plain_stack.hpp"

void* gathernd::d3d12::open_with_plain_stack(const char*) { return nullptr; }
