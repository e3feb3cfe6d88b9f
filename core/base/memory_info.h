// SPDX-License-Identifier: MIT
// Which memory a value lies in: of which device, and whether the host reads it as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ortc {

enum class DeviceType : int { kCpu = 0, kGpu = 1, kNpu = 2 };

struct MemoryInfo {
  std::string name = "Cpu";  // what its vendor calls it; not part of its identity
  DeviceType device_type = DeviceType::kCpu;
  uint32_t vendor_id = 0;  // PCI; 0 for the host's own
  int32_t device_id = 0;
  bool is_host_accessible = true;  // pinned memory, and the host's own
  // How it is got; not part of its identity either.
  bool is_read_only = false;  // for constants
  size_t alignment = 0;       // 0: any
};

inline bool is_same_memory(const MemoryInfo& a, const MemoryInfo& b) {
  return a.device_type == b.device_type && a.vendor_id == b.vendor_id &&
         a.device_id == b.device_id && a.is_host_accessible == b.is_host_accessible;
}

}  // namespace ortc
