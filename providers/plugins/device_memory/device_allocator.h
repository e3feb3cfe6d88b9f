// SPDX-License-Identifier: MIT
// The device's memory for the runtime: an OrtAllocator.
#pragma once

#include "device.h"
#include "device_tables.h"

namespace device_memory {

struct Allocator : OrtAllocator {
  Allocator(const Tables& tables, Device& device, const OrtMemoryInfo& memory,
            bool is_for_constants);
  ~Allocator() { --device.counts.allocators_alive; }
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  const Tables& tables;
  Device& device;
  const OrtMemoryInfo& memory;
  const bool is_for_constants;
};

}  // namespace device_memory
