#include "runtime/cpu_quota.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace gathernd {
namespace {

constexpr int64_t kNoQuota = INT64_MAX;

// Where a cgroup hierarchy is mounted, and which of its cgroups is the root of the mount.
struct Mount {
  bool is_version2;
  std::string root;
  std::string point;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has_cpu(const std::string& controllers) {
  return std::ranges::count(split(controllers, ','), "cpu") != 0;
}

// Decodes paths such as "/sys/fs/my\040cgroup": proc(5) writes spaces in octal.
std::string unescape(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string octal = text[i] == '\\' ? text.substr(i + 1, 3) : "";
    if (octal.size() == 3 && octal.find_first_not_of("01234567") == std::string::npos) {
      plain += static_cast<char>(std::stoi(octal, nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// A line of mountinfo is: number parent device ROOT POINT options [tags] - TYPE source OPTIONS.
std::vector<Mount> find_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.end() - dash < 4 || dash - words.begin() < 6) continue;
    const bool is_version2 = dash[1] == "cgroup2";
    if (!is_version2 && !(dash[1] == "cgroup" && has_cpu(dash[3]))) continue;
    mounts.push_back({is_version2, unescape(words[3]), unescape(words[4])});
  }
  return mounts;
}

// The path of this process's cgroup in a hierarchy. A line is number:controllers:path; version 2
// has number 0 and no controllers.
std::string find_group(const std::string& root, bool is_version2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_version2 ? line.starts_with("0::") : has_cpu(controllers))
      return line.substr(second + 1);
  }
  return "/";
}

// The CPUs that one cgroup allows, rounded up.
int64_t read_quota(const std::string& folder, bool is_version2) {
  int64_t quota = -1, period = 0;
  if (is_version2) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;  // "max" is no number
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;  // -1 for none
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return kNoQuota;
  return (quota - 1) / period + 1;
}

// Makes the cgroup a path below the mount point; false if the mount does not show it.
bool find_below(const Mount& mount, std::string* group) {
  const bool climbs = group->find("/..") != std::string::npos;  // out of this cgroup namespace
  if (mount.root == "/") return !climbs;
  // In a container the mount may show only its own cgroup, while the path is the host's.
  if (!climbs && group->starts_with(mount.root)) {
    group->erase(0, mount.root.size());
    return group->empty() || group->front() == '/';
  }
  return false;
}

int64_t least_quota(const std::string& root, const Mount& mount) {
  std::string group = find_group(root, mount.is_version2);
  int64_t least = kNoQuota;
  if (!find_below(mount, &group)) return least;
  while (true) {
    while (group.ends_with('/')) group.pop_back();
    least = std::min(least, read_quota(root + mount.point + group, mount.is_version2));
    const size_t end = group.find_last_of('/');
    if (end == std::string::npos) return least;
    group.resize(end);
  }
}

}  // namespace

int quota_processors(const std::string& root) {
  int64_t least = kNoQuota;
  for (const Mount& mount : find_mounts(root)) least = std::min(least, least_quota(root, mount));
  constexpr int64_t kMost = 1 << 20;  // fits an int
  return least == kNoQuota ? 0 : static_cast<int>(std::min(least, kMost));
}

}  // namespace gathernd
