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
#include "core/api/live_handles.h"
#include "core/provider/registry.h"
#include "ort_c/types.h"

struct OrtHardwareDevice : std::enable_shared_from_this<OrtHardwareDevice> {
  explicit OrtHardwareDevice(std::shared_ptr<const ortc::HardwareDevice> from)
      : device(std::move(from)), metadata(device->metadata) {}
  // One that a library makes. Devices that are offered with it keep it when it is released.
  static OrtHardwareDevice* make_own(std::shared_ptr<const ortc::HardwareDevice> device);
  void release();  // does nothing to others

  std::shared_ptr<const ortc::HardwareDevice> device;
  OrtKeyValuePairs metadata;

 private:
  std::shared_ptr<OrtHardwareDevice> own_;  // itself, until it is released
};

// What outlives the environment keeps the handle, and with it that of the hardware.
struct OrtEpDevice : std::enable_shared_from_this<OrtEpDevice>, ortc::api::LiveHandle<OrtEpDevice> {
 public:
  // Of a provider that is a part of the runtime.
  OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of);
  // An offer that a library makes. Registered, it is the environment's handle: the library may have
  // kept the pointer, and uses it as long as it is loaded.
  static OrtEpDevice* make_offer(std::string ep_name, std::string ep_vendor,
                                 const OrtHardwareDevice& of, const ortc::KeyValues& ep_metadata,
                                 const ortc::KeyValues& ep_options);
  // From now on it is not the library's to release. Null when it was taken before.
  std::shared_ptr<OrtEpDevice> take_offer();
  void release_offer();  // does nothing to others

  // What the handle stands for; null for an offer, and once the library was unregistered. The
  // handle itself stays, since a program may hold it in another thread.
  std::shared_ptr<const ortc::EpDevice> device() const;
  // The same, or INVALID_ARGUMENT that says why there is none.
  ortc::Result<std::shared_ptr<const ortc::EpDevice>> registered() const;
  void enlist(std::shared_ptr<const ortc::EpDevice> as);
  void retire() { enlist(nullptr); }

  // The library may add some as long as it is loaded; what there is stays where it is.
  std::vector<const OrtMemoryInfo*> memories() const;
  // `told`: the library's own handle, which is only handed back. INVALID_ARGUMENT for a device
  // that no library made.
  ortc::Status add_memory(const OrtMemoryInfo& told);
  // The handle by which the library told of that memory last; null: it did not.
  const OrtMemoryInfo* as_told(const OrtMemoryInfo& memory) const;

  const OrtHardwareDevice* const hardware;
  const std::string name, vendor;
  OrtKeyValuePairs metadata, options;  // do not change once a program sees them

 private:
  struct Memory {
    OrtMemoryInfo info;
    const OrtMemoryInfo* told = nullptr;  // null: of a provider that is a part of the runtime
  };
  OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
              const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options);

  mutable std::mutex mutex_;
  std::shared_ptr<const ortc::EpDevice> device_;
  const std::shared_ptr<const OrtHardwareDevice> kept_hardware_;
  std::shared_ptr<OrtEpDevice> offer_;  // itself, while it is the library's to release
  bool is_of_library_ = false;
  std::deque<Memory> memories_;
};

namespace ortc::api {

OrtMemoryInfo memory_info_of(const MemoryInfo& memory);
MemoryInfo core_memory_of(const OrtMemoryInfo& info);

// What the program sees of the devices of an environment. Handles and arrays stay as long as it
// does: a program reads them while another thread registers a library. Handles that something was
// imported for stay as long as that. Thread-safe.
class DeviceList {
 public:
  DeviceList() = default;
  ~DeviceList();
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  // Brings it to what the registry has now.
  void update(const ProviderRegistry& registry);
  // The devices in an array.
  void show(const OrtEpDevice* const** array, size_t* count) const;
  // Hardware that no provider serves too.
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
