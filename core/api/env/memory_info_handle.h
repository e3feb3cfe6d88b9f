// SPDX-License-Identifier: MIT
// A description of memory, as the program sees it.
#pragma once

#include <cstdint>
#include <string>

#include "ort_c/types.h"

struct OrtMemoryInfo {
  std::string name = "Cpu";
  OrtMemoryInfoDeviceType device_type = OrtMemoryInfoDeviceType_CPU;
  uint32_t vendor_id = 0;
  int32_t device_id = 0;
  OrtMemType mem_type = OrtMemTypeDefault;
  OrtDeviceMemoryType device_mem_type = OrtDeviceMemoryType_DEFAULT;
  size_t alignment = 0;
  OrtAllocatorType allocator_type = OrtDeviceAllocator;

  bool operator==(const OrtMemoryInfo&) const = default;
  bool is_host_readable() const {
    return device_type == OrtMemoryInfoDeviceType_CPU ||
           device_mem_type == OrtDeviceMemoryType_HOST_ACCESSIBLE;
  }
};

struct OrtMemoryDevice;

namespace ortc::api {

// The description of plain CPU memory; lives as long as the process.
const OrtMemoryInfo& cpu_memory();

// What libraries see as a device is the description of its memory.
inline const OrtMemoryDevice* device_of(const OrtMemoryInfo& info) {
  return reinterpret_cast<const OrtMemoryDevice*>(&info);
}

// The same device and kind of memory, however it is got.
inline bool is_same_memory(const OrtMemoryInfo& a, const OrtMemoryInfo& b) {
  return a.device_type == b.device_type && a.vendor_id == b.vendor_id &&
         a.device_id == b.device_id && a.device_mem_type == b.device_mem_type;
}

}  // namespace ortc::api
