// SPDX-License-Identifier: MIT
// How much processor time a container may use, as a number of processors.
#pragma once

#include <string>

namespace ortc {

// The smallest quota of this process's control group and of those around it (cgroup version 2, or
// the cpu controller of version 1), rounded up to whole processors; 0 when nothing limits it or
// nothing says so. `root` is where /proc and /sys lie, "" usually.
int processor_quota(const std::string& root);

}  // namespace ortc
