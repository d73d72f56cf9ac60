// The CPU quota of a container.
#pragma once

#include <string>

namespace gathernd {

// The number of CPUs that the cgroups of this process allow it on average, rounded up: the smallest
// quota of its own cgroup and its ancestors, in versions 1 and 2. 0 if there is no quota.
// `root`: the folder that has /proc and the cgroup file systems; "" is the system's own.
int quota_processors(const std::string& root = "");

}  // namespace gathernd
