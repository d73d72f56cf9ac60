// Libraries that ask for an executable stack but do not need one.
#pragma once

namespace gathernd::d3d12 {

// glibc 2.41 and newer refuses such libraries; vkd3d 1.2 of Debian 13 and Ubuntu 26.04 is one.
// Opens the library of this name or path and all that it needs, and replaces each file that asks by
// a copy in memory that does not. Null if no file asks, or if one of them cannot be opened.
void* open_with_plain_stack(const char* name);

}  // namespace gathernd::d3d12
