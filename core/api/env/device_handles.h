// SPDX-License-Identifier: MIT
// Execution providers and hardware, as the program sees them.
#pragma once

#include <memory>
#include <vector>

#include "core/api/env/key_values_handle.h"
#include "core/provider/registry.h"
#include "ort_c/types.h"

struct OrtHardwareDevice {
  explicit OrtHardwareDevice(std::shared_ptr<const ortc::HardwareDevice> from)
      : device(std::move(from)), metadata(device->metadata) {}
  std::shared_ptr<const ortc::HardwareDevice> device;
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of)
      : device(std::move(from)),
        hardware(&of),
        name(device->factory->name()),
        vendor(device->factory->vendor()),
        metadata(device->metadata),
        options(device->options) {}
  std::shared_ptr<const ortc::EpDevice> device;
  const OrtHardwareDevice* hardware;
  std::string name, vendor;
  OrtKeyValuePairs metadata, options;
};

namespace ortc::api {

// What the program sees of the devices of an environment. Does not change once made.
struct DeviceList {
  std::vector<std::unique_ptr<OrtHardwareDevice>> hardware;
  std::vector<std::unique_ptr<OrtEpDevice>> devices;
  std::vector<const OrtEpDevice*> list;  // of `devices`

  const OrtEpDevice* cpu() const;  // of the CPU provider
};

}  // namespace ortc::api
