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
  device = std::move(from);
}

OrtEpDevice::OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
                         const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options)
    : hardware(&of),
      name(std::move(ep_name)),
      vendor(std::move(ep_vendor)),
      metadata(ep_metadata),
      options(ep_options) {}

namespace ortc::api {

OrtMemoryInfo memory_info_of(const MemoryInfo& memory) {
  OrtMemoryInfo info;
  info.name = memory.name;
  info.device_type = static_cast<OrtMemoryInfoDeviceType>(memory.device_type);
  info.vendor_id = memory.vendor_id;
  info.device_id = memory.device_id;
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
  return memory;
}

void DeviceList::update(const ProviderRegistry& registry) {
  const EpDevices now = registry.devices();
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<OrtEpDevice>> kept;
  for (const auto& device : now) {
    const auto known = std::ranges::find_if(
        devices_, [&](const auto& one) { return one != nullptr && one->device == device; });
    kept.push_back(known != devices_.end()
                       ? std::move(*known)
                       : std::make_unique<OrtEpDevice>(device, handle_of(device->hardware)));
  }
  devices_ = std::move(kept);
  list_.clear();
  for (const auto& device : devices_) list_.push_back(device.get());
  // Virtual hardware goes with the library that made it.
  std::erase_if(hardware_, [&](const auto& one) {
    const auto is_virtual = one->device->metadata.find("is_virtual");
    return is_virtual != one->device->metadata.end() && is_virtual->second == "1" &&
           std::ranges::none_of(devices_, [&](const auto& d) { return d->hardware == one.get(); });
  });
}

void DeviceList::show(const OrtEpDevice* const** array, size_t* count) const {
  const std::lock_guard lock(mutex_);
  *array = list_.data();
  *count = list_.size();
}

std::vector<const OrtHardwareDevice*> DeviceList::hardware(const ProviderRegistry& registry) {
  const HardwareDevices all = registry.hardware();
  const std::lock_guard lock(mutex_);
  for (const auto& device : all) handle_of(device);
  std::vector<const OrtHardwareDevice*> handles;
  for (const auto& one : hardware_) handles.push_back(one.get());
  return handles;
}

bool DeviceList::has(const OrtEpDevice* device) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(list_, device) != list_.end();
}

const OrtEpDevice* DeviceList::cpu() const {
  const std::lock_guard lock(mutex_);
  for (const OrtEpDevice* device : list_) {
    if (device->device->factory->role() == ProviderRole::kRest) return device;
  }
  return nullptr;
}

const OrtHardwareDevice& DeviceList::handle_of(
    const std::shared_ptr<const HardwareDevice>& device) {
  for (const auto& known : hardware_) {
    if (known->device == device) return *known;
  }
  hardware_.push_back(std::make_unique<OrtHardwareDevice>(device));
  return *hardware_.back();
}

}  // namespace ortc::api
