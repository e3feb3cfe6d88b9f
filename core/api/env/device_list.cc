// SPDX-License-Identifier: MIT
// Handles of devices: see device_handles.h.
#include <algorithm>

#include "core/api/env/device_handles.h"

OrtHardwareDevice* OrtHardwareDevice::make_own(std::shared_ptr<const ortc::HardwareDevice> device) {
  const auto made = std::make_shared<OrtHardwareDevice>(std::move(device));
  made->own_ = made;
  return made.get();
}

void OrtHardwareDevice::release() {
  const auto last = std::move(own_);  // ends here, and perhaps this with it
}

OrtEpDevice::OrtEpDevice(std::shared_ptr<const ortc::EpDevice> from, const OrtHardwareDevice& of)
    : OrtEpDevice(std::string(from->factory->name()), std::string(from->factory->vendor()), of,
                  from->metadata, from->options) {
  for (const ortc::MemoryInfo& memory : from->memories) {
    memories_.push_back({ortc::api::memory_info_of(memory)});
  }
  device_ = std::move(from);
}

OrtEpDevice::OrtEpDevice(std::string ep_name, std::string ep_vendor, const OrtHardwareDevice& of,
                         const ortc::KeyValues& ep_metadata, const ortc::KeyValues& ep_options)
    : hardware(&of),
      name(std::move(ep_name)),
      vendor(std::move(ep_vendor)),
      metadata(ep_metadata),
      options(ep_options),
      kept_hardware_(of.weak_from_this().lock()) {}

OrtEpDevice* OrtEpDevice::make_offer(std::string ep_name, std::string ep_vendor,
                                     const OrtHardwareDevice& of,
                                     const ortc::KeyValues& ep_metadata,
                                     const ortc::KeyValues& ep_options) {
  std::shared_ptr<OrtEpDevice> made(
      new OrtEpDevice(std::move(ep_name), std::move(ep_vendor), of, ep_metadata, ep_options));
  made->is_of_library_ = true;
  made->offer_ = made;
  return made.get();
}

std::shared_ptr<OrtEpDevice> OrtEpDevice::take_offer() {
  const std::lock_guard lock(mutex_);
  return std::move(offer_);
}

void OrtEpDevice::release_offer() {
  const auto last = take_offer();  // ends here, and this with it
}

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

void OrtEpDevice::enlist(std::shared_ptr<const ortc::EpDevice> as) {
  const std::lock_guard lock(mutex_);
  device_.swap(as);  // what it was ends behind the lock
}

std::vector<const OrtMemoryInfo*> OrtEpDevice::memories() const {
  const std::lock_guard lock(mutex_);
  std::vector<const OrtMemoryInfo*> list;
  for (const Memory& memory : memories_) list.push_back(&memory.info);
  return list;
}

ortc::Status OrtEpDevice::add_memory(const OrtMemoryInfo& told) {
  if (!is_of_library_) return ortc::invalid_argument("'ep_device' is not of a library");
  const std::lock_guard lock(mutex_);
  for (Memory& known : memories_) {
    if (!ortc::api::is_same_memory(known.info, told) ||
        known.info.allocator_type != told.allocator_type) {
      continue;
    }
    known.told = &told;  // there are libraries that say it for each session
    return {};
  }
  memories_.push_back({told, &told});
  return {};
}

const OrtMemoryInfo* OrtEpDevice::as_told(const OrtMemoryInfo& memory) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(memories_, [&](const Memory& one) {
    return ortc::api::is_same_memory(one.info, memory) &&
           one.info.allocator_type == memory.allocator_type;
  });
  return known != memories_.end() ? known->told : nullptr;
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

// Devices and what they stand for keep each other.
DeviceList::~DeviceList() {
  for (const auto& one : devices_) one->retire();
}

// That of the library which offered it, its own, or a new one.
const OrtEpDevice* DeviceList::handle_of(const std::shared_ptr<const EpDevice>& device) {
  if (device->handle != nullptr) {
    auto offered = std::static_pointer_cast<OrtEpDevice>(device->handle);
    offered->enlist(device);
    if (std::ranges::find(devices_, offered) == devices_.end()) devices_.push_back(offered);
    return offered.get();
  }
  for (const auto& one : devices_) {
    if (one->device() == device) return one.get();
  }
  devices_.push_back(std::make_shared<OrtEpDevice>(device, handle_of(device->hardware)));
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
