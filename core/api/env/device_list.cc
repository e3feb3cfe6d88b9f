// SPDX-License-Identifier: MIT
// Handles of devices: see device_handles.h.
#include <algorithm>

#include "core/api/env/device_handles.h"

OrtEpDevice::OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of)
    : OrtEpDevice(std::string(from->factory->name()), std::string(from->factory->vendor()), of,
                  from->metadata, from->options) {
  for (const ortc::MemoryInfo& memory : from->memories) {
    memories.push_back(ortc::api::memory_info_of(memory));
  }
  device_ = std::move(from);
  kept_hardware_ = of.shared_from_this();
  is_offer_ = false;
}

OrtEpDevice::OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
                         const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options)
    : hardware(&of),
      name(std::move(ep_name)),
      vendor(std::move(ep_vendor)),
      metadata(ep_metadata),
      options(ep_options),
      is_offer_(true) {}

std::shared_ptr<const ortc::EpDevice> OrtEpDevice::device() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

ortc::Result<std::shared_ptr<const ortc::EpDevice>> OrtEpDevice::registered() const {
  auto found = device();
  if (found == nullptr) {
    return ortc::invalid_argument("a device of ", name, ", whose library is not registered");
  }
  return found;
}

void OrtEpDevice::retire() { revive(nullptr); }

void OrtEpDevice::revive(std::shared_ptr<const ortc::EpDevice> from) {
  const std::lock_guard lock(mutex_);
  device_.swap(from);  // what it was ends behind the lock
}

namespace ortc::api {
namespace {

// A library makes its virtual hardware anew each time it is registered.
bool is_same_virtual(const HardwareDevice& one, const HardwareDevice& other) {
  const auto is_virtual = one.metadata.find("is_virtual");
  return is_virtual != one.metadata.end() && is_virtual->second == "1" && one.type == other.type &&
         one.vendor_id == other.vendor_id && one.device_id == other.device_id &&
         one.vendor == other.vendor && one.metadata == other.metadata;
}

bool is_same_offer(const OrtEpDevice& one, const OrtEpDevice& other) {
  return one.name == other.name && one.vendor == other.vendor && one.hardware == other.hardware &&
         one.metadata.entries == other.metadata.entries &&
         one.options.entries == other.options.entries && one.memories == other.memories;
}

}  // namespace

OrtMemoryInfo memory_info_of(const MemoryInfo& memory) {
  OrtMemoryInfo info;
  info.name = memory.name;
  // The numbers differ from those of hardware.
  info.device_type = memory.device_type == DeviceType::kGpu   ? OrtMemoryInfoDeviceType_GPU
                     : memory.device_type == DeviceType::kNpu ? OrtMemoryInfoDeviceType_NPU
                                                              : OrtMemoryInfoDeviceType_CPU;
  info.vendor_id = memory.vendor_id;
  info.device_id = memory.device_id;
  info.alignment = memory.alignment;
  if (memory.is_read_only) info.allocator_type = OrtReadOnlyAllocator;
  const bool is_plain_host = memory.device_type == DeviceType::kCpu;
  if (memory.is_host_accessible && !is_plain_host) {
    info.device_mem_type = OrtDeviceMemoryType_HOST_ACCESSIBLE;
  }
  return info;
}

MemoryInfo core_memory_of(const OrtMemoryInfo& info) {
  MemoryInfo memory;
  memory.name = info.name;
  memory.device_type = info.device_type == OrtMemoryInfoDeviceType_GPU   ? DeviceType::kGpu
                       : info.device_type == OrtMemoryInfoDeviceType_NPU ? DeviceType::kNpu
                                                                         : DeviceType::kCpu;
  memory.vendor_id = info.vendor_id;
  memory.device_id = info.device_id;
  memory.is_host_accessible = info.is_host_readable();
  memory.is_read_only = info.allocator_type == OrtReadOnlyAllocator;
  memory.alignment = info.alignment;
  return memory;
}

void DeviceList::update(const ProviderRegistry& registry) {
  const EpDevices now = registry.devices();
  EpDevices gone;  // and perhaps their library with them, behind the lock
  const std::lock_guard lock(mutex_);
  for (const auto& one : devices_) {
    auto device = one->device();
    if (device == nullptr || std::ranges::find(now, device) != now.end()) continue;
    one->retire();
    gone.push_back(std::move(device));
  }
  std::vector<const OrtEpDevice*> list;
  for (const auto& device : now) list.push_back(handle_of(device));
  if (list != lists_.back()) lists_.push_back(std::move(list));
}

// Its own, that of the same device of the library before, or a new one.
const OrtEpDevice* DeviceList::handle_of(const std::shared_ptr<const EpDevice>& device) {
  auto fresh = std::make_shared<OrtEpDevice>(device, handle_of(device->hardware));
  for (const auto& one : devices_) {
    const auto known = one->device();
    if (known == device) return one.get();
    if (known != nullptr || !is_same_offer(*one, *fresh)) continue;
    one->revive(device);
    return one.get();
  }
  devices_.push_back(std::move(fresh));
  return devices_.back().get();
}

void DeviceList::show(const OrtEpDevice* const** array, size_t* count) const {
  const std::lock_guard lock(mutex_);
  *array = lists_.back().data();
  *count = lists_.back().size();
}

std::vector<const OrtHardwareDevice*> DeviceList::hardware(const ProviderRegistry& registry) {
  const HardwareDevices all = registry.hardware();
  const std::lock_guard lock(mutex_);
  std::vector<const OrtHardwareDevice*> handles;
  for (const auto& device : all) handles.push_back(&handle_of(device));
  for (const OrtEpDevice* device : lists_.back()) {  // virtual hardware of libraries
    if (std::ranges::find(handles, device->hardware) == handles.end()) {
      handles.push_back(device->hardware);
    }
  }
  return handles;
}

bool DeviceList::has(const OrtEpDevice* device) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(lists_.back(), device) != lists_.back().end();
}

const OrtEpDevice* DeviceList::cpu() const {
  const std::lock_guard lock(mutex_);
  for (const OrtEpDevice* one : lists_.back()) {
    const auto device = one->device();
    if (device != nullptr && device->factory->role() == ProviderRole::kRest) return one;
  }
  return nullptr;
}

const OrtHardwareDevice& DeviceList::handle_of(
    const std::shared_ptr<const HardwareDevice>& device) {
  for (const auto& known : hardware_) {
    if (known->device == device || is_same_virtual(*known->device, *device)) return *known;
  }
  hardware_.push_back(std::make_shared<OrtHardwareDevice>(device));
  return *hardware_.back();
}

}  // namespace ortc::api
