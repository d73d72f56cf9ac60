// Libraries that ask for an executable stack and have no use for it.
#pragma once

namespace gathernd::d3d12 {

// vkd3d 1.2 of Debian 13 and Ubuntu 26.04 is one, and their C library refuses it (glibc, from 2.41
// on). Opens copies of its files, in memory, that do not ask; the files are those in the folder of
// the C library. Null where there are none, or where no copies can be opened.
void* open_with_plain_stack(const char* name);

}  // namespace gathernd::d3d12
