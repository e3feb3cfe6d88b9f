// SPDX-License-Identifier: MIT
// What copies between the host and the device, and within the device: an OrtDataTransferImpl.
#pragma once

#include "device.h"
#include "device_tables.h"

namespace device_memory {

struct Transfer : OrtDataTransferImpl {
  Transfer(const Tables& tables, Device& device, const OrtMemoryDevice& memory);
  const Tables& tables;
  Device& device;
  const OrtMemoryDevice& memory;
};

}  // namespace device_memory
