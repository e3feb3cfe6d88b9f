// SPDX-License-Identifier: MIT
// The provider that a session gets: claims what the device can compute, and runs it there.
#pragma once

#include "device_program.h"
#include "device_tables.h"

namespace device_memory {

inline constexpr char kEpName[] = "DeviceMemoryExecutionProvider";

struct Ep : OrtEp {
  Ep(const Tables& tables, Device& device);
  const Tables& tables;
  Device& device;
};

// What runs in place of one fused node.
struct ComputeInfo : OrtNodeComputeInfo {
  ComputeInfo(const Ep& ep, Program program);
  const Tables& tables;
  Device& device;
  Program program;
};

}  // namespace device_memory
