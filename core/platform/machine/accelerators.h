// SPDX-License-Identifier: MIT
// GPUs and NPUs that the system tells of (Linux: /sys). What it does not tell is not there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ortc {

struct Accelerator {
  enum class Kind { kNpu, kGpu } kind = Kind::kGpu;
  uint32_t vendor_id = 0, device_id = 0;  // PCI
  int number = -1;                        // N of cardN or accelN; -1: it has none
  std::string bus;                        // "0000:01:00.0"; "" when it is not known
};

// NPUs first, by number. GPUs without a driver are found on the PCI bus, when no other is there.
// `root` stands before all paths.
std::vector<Accelerator> find_accelerators(const std::string& root);

}  // namespace ortc
