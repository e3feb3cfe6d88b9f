// SPDX-License-Identifier: MIT
// Quotas of control groups, read from trees as the kernel shows them.
#include "core/platform/machine/processor_quota.h"

#include <filesystem>
#include <fstream>

#include "tests/support/test.h"

using namespace ortc;

namespace {

class Tree {
 public:
  explicit Tree(const std::string& groups) : root_(ortc::test::temp_dir() + "/tree") {
    std::filesystem::remove_all(root_);
    write("/proc/self/cgroup", groups);
  }
  Tree& write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return *this;
  }
  int quota() const { return processor_quota(root_); }

 private:
  std::string root_;
};

}  // namespace

TEST(processor_quota, is_none_where_nothing_limits_the_process) {
  CHECK_EQ(processor_quota("/nowhere"), 0);
  CHECK_EQ(Tree("").quota(), 0);
  CHECK_EQ(Tree("0::/\n").quota(), 0);
  CHECK_EQ(Tree("0::/a\n").write("/sys/fs/cgroup/a/cpu.max", "max 100000\n").quota(), 0);
  CHECK_EQ(Tree("1:cpu:/\n")
               .write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
               .write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
               .quota(),
           0);
}

TEST(processor_quota, is_rounded_up_to_whole_processors) {
  const auto quota = [](const std::string& text) {
    return Tree("0::/a\n").write("/sys/fs/cgroup/a/cpu.max", text).quota();
  };
  CHECK_EQ(quota("150000 100000\n"), 2);
  CHECK_EQ(quota("200000 100000\n"), 2);
  CHECK_EQ(quota("1000 100000\n"), 1);
}

TEST(processor_quota, is_the_smallest_of_the_group_and_those_around_it) {
  Tree tree("0::/a/b/c\n");
  tree.write("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  tree.write("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  CHECK_EQ(tree.quota(), 3);
}

// Within a container the path is one that only the host has.
TEST(processor_quota, of_a_container_lies_at_the_root) {
  CHECK_EQ(Tree("0::/docker/abc\n").write("/sys/fs/cgroup/cpu.max", "400000 100000\n").quota(), 4);
  CHECK_EQ(Tree("5:memory:/m\n4:cpu,cpuacct:/docker/abc\n")
               .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n")
               .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "25000\n")
               .quota(),
           2);
}

TEST(processor_quota, of_files_that_say_nonsense_is_none) {
  for (const char* text :
       {"", "many few\n", "100000\n", "100000 0\n", "-5 100000\n", "1e300 1\n"}) {
    CHECK_EQ(Tree("0::/a\nnonsense\n::\n0:\n").write("/sys/fs/cgroup/a/cpu.max", text).quota(), 0);
  }
}
