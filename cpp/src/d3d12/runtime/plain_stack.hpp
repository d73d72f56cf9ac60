// Libraries that ask for an executable stack and have no use for it.
#pragma once

namespace gathernd::d3d12 {

// vkd3d 1.2 of Debian 13 and Ubuntu 26.04 is one, and their C library refuses it (glibc, from 2.41
// on). Opens the library of this name or path, and all that it needs; of the files that ask, copies
// in memory that do not. Null where none asks, or where they cannot be opened so.
void* open_with_plain_stack(const char* name);

}  // namespace gathernd::d3d12
