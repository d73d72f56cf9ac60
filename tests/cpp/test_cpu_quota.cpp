// The quota of processor time of a container, read from a made-up /proc and /sys.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "runtime/cpu_quota.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

namespace fs = std::filesystem;

// A folder in the place of "/", with the files of the test.
class FakeRoot {
 public:
  FakeRoot()
      : path_(fs::temp_directory_path() / ("gathernd" + std::to_string(std::random_device()()))) {}
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& write(const std::string& name, const std::string& text) {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return *this;
  }

  // A cgroup of version 1 below its mount.
  FakeRoot& write1(const std::string& group, int quota, int period = 100'000) {
    return write(group + "/cpu.cfs_quota_us", std::to_string(quota) + "\n")
        .write(group + "/cpu.cfs_period_us", std::to_string(period) + "\n");
  }

  int quota() const { return quota_processors(path_.string()); }

 private:
  fs::path path_;
};

const std::string kVersion2 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
const std::string kVersion1 =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n";

}  // namespace

TEST_CASE("no quota: no cgroups, or cgroups without one") {
  CHECK(FakeRoot().quota() == 0);
  CHECK(FakeRoot().write("proc/self/mountinfo", kVersion2).quota() == 0);
  FakeRoot root;
  root.write("proc/self/mountinfo", kVersion2).write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  CHECK(root.quota() == 0);
  FakeRoot first;
  first.write("proc/self/mountinfo", kVersion1).write("proc/self/cgroup", "1:cpu,cpuacct:/\n");
  CHECK(first.write1("sys/fs/cgroup/cpu,cpuacct", -1).quota() == 0);
}

TEST_CASE("a quota of version 2 is rounded up to whole processors") {
  const std::pair<const char*, int> cases[] = {{"100000 100000", 1},
                                               {"150000 100000", 2},
                                               {"200000 100000", 2},
                                               {"1000 100000", 1},
                                               {"50000 10000", 5},
                                               {"200001 100000", 3},
                                               {"max 100000", 0},
                                               {"", 0},
                                               {"nonsense", 0},
                                               {"100000", 0},
                                               {"0 100000", 0},
                                               {"-1 100000", 0},
                                               {"100000 0", 0},
                                               {"9223372036854775807 1", 0},
                                               {"9000000000000000000 1", 1 << 20}};
  for (const auto& entry : cases) {
    const std::string text(entry.first);
    FakeRoot root;
    root.write("proc/self/mountinfo", kVersion2).write("proc/self/cgroup", "0::/job\n");
    root.write("sys/fs/cgroup/job/cpu.max", text + "\n");
    INFO(text);
    CHECK(root.quota() == entry.second);
  }
}

TEST_CASE("the least quota on the way from the cgroup to the root counts") {
  for (const int tight : {0, 1, 2, 3}) {
    FakeRoot root;
    root.write("proc/self/mountinfo", kVersion2).write("proc/self/cgroup", "0::/a/b/c\n");
    int level = 0;
    for (const char* group : {"", "/a", "/a/b", "/a/b/c"}) {
      const std::string quota = level++ == tight ? "300000 100000" : "900000 100000";
      root.write("sys/fs/cgroup" + std::string(group) + "/cpu.max", quota);
    }
    root.write("sys/fs/cgroup/a/other/cpu.max", "100000 100000");  // not on the way
    CHECK(root.quota() == 3);
  }
}

TEST_CASE("a cgroup that is no path from the root has the quota of its name") {
  FakeRoot root;
  root.write("proc/self/mountinfo", kVersion2).write("proc/self/cgroup", "0::job\n");
  CHECK(root.quota() == 0);
}

TEST_CASE("a quota of version 1, that of the hierarchy with the cpu controller") {
  FakeRoot root;
  root.write("proc/self/mountinfo", kVersion1);
  root.write("proc/self/cgroup", "3:cpuset:/set\n2:memory:/m\n1:cpu,cpuacct:/docker/x\n0::/\n");
  root.write1("sys/fs/cgroup/cpuset/set", 100'000).write1("sys/fs/cgroup/cpu,cpuacct", -1);
  CHECK(root.quota() == 0);
  root.write1("sys/fs/cgroup/cpu,cpuacct/docker", 800'000);
  CHECK(root.quota() == 8);
  root.write1("sys/fs/cgroup/cpu,cpuacct/docker/x", 25'000, 10'000);
  CHECK(root.quota() == 3);
}

TEST_CASE("a quota where a container sees its own cgroup alone, and the path is the host's") {
  FakeRoot root;
  root.write("proc/self/mountinfo",
             "9 8 0:1 /docker/x /sys/fs/my\\040cpu rw - cgroup cgroup rw,cpu\n");
  root.write("proc/self/cgroup", "1:cpu:/docker/x/inner\n");
  root.write1("sys/fs/my cpu", 400'000).write1("sys/fs/my cpu/inner", 200'000);
  CHECK(root.quota() == 2);
  // Another container's, which begins with the same letters.
  CHECK(root.write("proc/self/cgroup", "1:cpu:/docker/xy\n").quota() == 0);
}

TEST_CASE("a cgroup out of what the process can see has no quota that it could read") {
  FakeRoot root;
  root.write("proc/self/mountinfo", kVersion2).write("proc/self/cgroup", "0::/../other\n");
  root.write("sys/fs/cgroup/cpu.max", "100000 100000");
  CHECK(root.quota() == 0);
}

TEST_CASE("the least quota counts where both versions are mounted") {
  FakeRoot root;
  root.write(
      "proc/self/mountinfo",
      kVersion1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" + "broken\n");
  root.write("proc/self/cgroup", "1:cpu,cpuacct:/a\n0::/b\n");
  root.write1("sys/fs/cgroup/cpu,cpuacct/a", 500'000);
  CHECK(root.quota() == 5);
  CHECK(root.write("sys/fs/cgroup/unified/b/cpu.max", "400000 100000").quota() == 4);
}

}  // namespace gathernd::test
