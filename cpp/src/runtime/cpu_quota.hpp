// The CPU time that a container allows.
#pragma once

#include <string>

namespace gathernd {

// The processors that the cgroups of this process allow it on average, rounded up: the least quota
// of its own cgroup and of those around it, versions 1 and 2. 0 if there is none, or no cgroup.
// `root`: where /proc and the file systems of the cgroups are found, "" for the system's own.
int quota_processors(const std::string& root = "");

}  // namespace gathernd
