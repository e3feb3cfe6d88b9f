// SPDX-License-Identifier: MIT
// Execution providers and hardware, as the program sees them, and as libraries of providers make
// them.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/provider/registry.h"
#include "ort_c/types.h"

struct OrtHardwareDevice : std::enable_shared_from_this<OrtHardwareDevice> {
  explicit OrtHardwareDevice(std::shared_ptr<const ortc::HardwareDevice> from)
      : device(std::move(from)), metadata(device->metadata) {}
  std::shared_ptr<const ortc::HardwareDevice> device;
  OrtKeyValuePairs metadata;
};

// What outlives the environment keeps the handle, and with it that of the hardware.
struct OrtEpDevice : std::enable_shared_from_this<OrtEpDevice> {
  // Of an environment.
  OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of);
  // An offer that a library makes, until it is registered.
  OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
              const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options);

  // What the handle stands for; null for an offer, and once the library was unregistered. The
  // handle itself stays, since a program may hold it in another thread.
  std::shared_ptr<const ortc::EpDevice> device() const;
  // The same, or INVALID_ARGUMENT that says why there is none.
  ortc::Result<std::shared_ptr<const ortc::EpDevice>> registered() const;
  // Whether it is an offer, its maker's to release.
  bool is_offer() const { return is_offer_; }
  void retire();
  // A device that came back with its library.
  void revive(std::shared_ptr<const ortc::EpDevice> from);

  const OrtHardwareDevice* hardware;
  std::string name, vendor;
  OrtKeyValuePairs metadata, options;
  std::vector<OrtMemoryInfo> memories;
  // Of an offer: the library's own handles of these, which are only handed back, never read.
  std::vector<const OrtMemoryInfo*> told_memories;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ortc::EpDevice> device_;
  std::shared_ptr<const OrtHardwareDevice> kept_hardware_;  // null for an offer
  bool is_offer_;
};

namespace ortc::api {

OrtMemoryInfo memory_info_of(const MemoryInfo& memory);
MemoryInfo core_memory_of(const OrtMemoryInfo& info);

// What the program sees of the devices of an environment. Handles and arrays stay as long as it
// does: a program reads them while another thread registers a library. Handles that something was
// imported for stay as long as that. A device that comes back with its library gets its handle
// again. Thread-safe.
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
  const OrtEpDevice* handle_of(const std::shared_ptr<const EpDevice>& device);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<OrtHardwareDevice>> hardware_;
  std::vector<std::shared_ptr<OrtEpDevice>> devices_;  // those of libraries that are gone as well
  // The newest last. A program may read an older one.
  std::deque<std::vector<const OrtEpDevice*>> lists_ = {{}};
};

}  // namespace ortc::api
