// SPDX-License-Identifier: MIT
// What copies between the host and the device, within the device, and from the other one of a pair:
// an OrtDataTransferImpl.
#pragma once

#include "device.h"
#include "device_tables.h"

namespace device_memory {

// A device and what the runtime calls its memory.
struct Place {
  Device* device = nullptr;
  const OrtMemoryDevice* memory = nullptr;
};

struct Transfer : OrtDataTransferImpl {
  // `other` may be empty; it outlives all copies.
  Transfer(const Tables& tables, Place own, Place other);
  const Tables& tables;
  const Place own, other;
};

}  // namespace device_memory
