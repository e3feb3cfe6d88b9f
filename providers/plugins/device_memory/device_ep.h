// SPDX-License-Identifier: MIT
// The provider that a session gets: claims what the device can compute, and runs it there.
#pragma once

#include "device_program.h"
#include "device_tables.h"

namespace device_memory {

// The second is there for libraries that are registered as a pair: it computes what the first does
// not then, Mul.
inline constexpr const char* kEpNames[] = {"DeviceMemoryExecutionProvider",
                                           "SecondDeviceMemoryExecutionProvider"};
enum class Part { kAll, kFirst, kSecond };

struct Ep : OrtEp {
  Ep(const Tables& tables, Device& device, Part part);
  const char* name() const { return kEpNames[part == Part::kSecond ? 1 : 0]; }
  const Tables& tables;
  Device& device;
  const Part part;
};

// What runs in place of one fused node.
struct ComputeInfo : OrtNodeComputeInfo {
  ComputeInfo(const Ep& ep, Program program);
  const Tables& tables;
  Device& device;
  Program program;
};

}  // namespace device_memory
