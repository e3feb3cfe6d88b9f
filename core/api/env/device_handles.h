// SPDX-License-Identifier: MIT
// Execution providers and hardware, as the program sees them, and as libraries of providers make
// them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/provider/registry.h"
#include "ort_c/types.h"

struct OrtHardwareDevice {
  explicit OrtHardwareDevice(std::shared_ptr<const ortc::HardwareDevice> from)
      : device(std::move(from)), metadata(device->metadata) {}
  std::shared_ptr<const ortc::HardwareDevice> device;
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  // Of an environment.
  OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of);
  // An offer that a library makes, until it is registered: without `device`.
  OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
              const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options);

  std::shared_ptr<const ortc::EpDevice> device;
  const OrtHardwareDevice* hardware;
  std::string name, vendor;
  OrtKeyValuePairs metadata, options;
  std::vector<OrtMemoryInfo> memories;
};

namespace ortc::api {

OrtMemoryInfo memory_info_of(const MemoryInfo& memory);
MemoryInfo core_memory_of(const OrtMemoryInfo& info);

// What the program sees of the devices of an environment. A device keeps its handle as long as its
// provider is registered. Thread-safe; the arrays stay until the next update().
class DeviceList {
 public:
  // Brings it to what the registry has now.
  void update(const ProviderRegistry& registry);
  // The devices in an array.
  void show(const OrtEpDevice* const** array, size_t* count) const;
  // Hardware that nobody serves too.
  std::vector<const OrtHardwareDevice*> hardware(const ProviderRegistry& registry);
  bool has(const OrtEpDevice* device) const;
  const OrtEpDevice* cpu() const;  // of the CPU provider

 private:
  const OrtHardwareDevice& handle_of(const std::shared_ptr<const HardwareDevice>& device);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<OrtHardwareDevice>> hardware_;
  std::vector<std::unique_ptr<OrtEpDevice>> devices_;
  std::vector<const OrtEpDevice*> list_;  // of devices_
};

}  // namespace ortc::api
