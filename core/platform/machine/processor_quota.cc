// SPDX-License-Identifier: MIT
// The quota of the control group: see the header.
//
//   /proc/self/cgroup        0::/docker/abc                       version 2
//                            4:cpu,cpuacct:/docker/abc            version 1
//   /sys/fs/cgroup/...       cpu.max "150000 100000" or "max 100000"
//                            cpu.cfs_quota_us "-1", cpu.cfs_period_us "100000"
//
// A container often sees its own group as the root of /sys/fs/cgroup although /proc names it from
// outside; so folders that are not there are passed over, and the root counts always.
#include "core/platform/machine/processor_quota.h"

#include <algorithm>
#include <climits>
#include <fstream>
#include <string_view>

namespace ortc {
namespace {

struct Group {
  std::string folder;  // below /sys/fs/cgroup: "" for version 2, "/cpu" for version 1
  std::string path;    // "/docker/abc"
};

int processors_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  const double processors = quota / period;
  if (processors >= INT_MAX) return 0;
  const int whole = static_cast<int>(processors);
  return static_cast<double>(whole) < processors ? whole + 1 : whole;
}

// Of one folder; 0 when it sets no limit.
int quota_of_folder(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream both(folder + "/cpu.max");
  if (both >> quota >> period) return processors_of(quota, period);
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"),
      period_file(folder + "/cpu.cfs_period_us");
  return quota_file >> quota && period_file >> period ? processors_of(quota, period) : 0;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

// From a line "number:controllers:path"; false for other controllers.
bool read_group(const std::string& line, Group* group) {
  const size_t first = line.find(':');
  const size_t second = first != std::string::npos ? line.find(':', first + 1) : first;
  if (second == std::string::npos) return false;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (!controllers.empty() && !names_cpu(controllers)) return false;
  group->folder = controllers.empty() ? "" : "/" + controllers;
  group->path = line.substr(second + 1);
  return true;
}

int smaller(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// Of the group and of all around it.
int quota_of_group(const std::string& mount, std::string path) {
  int least = quota_of_folder(mount);
  while (path.size() > 1) {
    least = smaller(least, quota_of_folder(mount + path));
    path.resize(path.rfind('/'));
  }
  return least;
}

}  // namespace

int processor_quota(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  int least = 0;
  Group group;
  for (std::string line; std::getline(groups, line);) {
    if (!read_group(line, &group) || group.path.empty() || group.path[0] != '/') continue;
    least = smaller(least, quota_of_group(root + "/sys/fs/cgroup" + group.folder, group.path));
  }
  return least;
}

}  // namespace ortc
