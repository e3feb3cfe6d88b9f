// SPDX-License-Identifier: MIT
// ort_c/devices.h: execution providers and the hardware they serve.
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/guard.h"
#include "ort_c/devices.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetEpDevices(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
                           size_t* num_ep_devices) {
  return guard([&]() -> Status {
    api::empty_outs(ep_devices, num_ep_devices);
    ORTC_NEEDED(env);
    ORTC_NEEDED(ep_devices);
    ORTC_NEEDED(num_ep_devices);
    env->shared->devices.show(ep_devices, num_ep_devices);
    return {};
  });
}

const char* OrtEpDevice_EpName(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->name.c_str() : nullptr;
}

const char* OrtEpDevice_EpVendor(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->vendor.c_str() : nullptr;
}

const OrtKeyValuePairs* OrtEpDevice_EpMetadata(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? &ep_device->metadata : nullptr;
}

const OrtKeyValuePairs* OrtEpDevice_EpOptions(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? &ep_device->options : nullptr;
}

const OrtHardwareDevice* OrtEpDevice_Device(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->hardware : nullptr;
}

OrtHardwareDeviceType OrtHardwareDevice_Type(const OrtHardwareDevice* device) {
  return device != nullptr ? static_cast<OrtHardwareDeviceType>(device->device->type)
                           : OrtHardwareDeviceType_CPU;
}

uint32_t OrtHardwareDevice_VendorId(const OrtHardwareDevice* device) {
  return device != nullptr ? device->device->vendor_id : 0;
}

const char* OrtHardwareDevice_Vendor(const OrtHardwareDevice* device) {
  return device != nullptr ? device->device->vendor.c_str() : nullptr;
}

uint32_t OrtHardwareDevice_DeviceId(const OrtHardwareDevice* device) {
  return device != nullptr ? device->device->device_id : 0;
}

const OrtKeyValuePairs* OrtHardwareDevice_Metadata(const OrtHardwareDevice* device) {
  return device != nullptr ? &device->metadata : nullptr;
}

const OrtMemoryInfo* OrtEpDevice_MemoryInfo(const OrtEpDevice* ep_device,
                                            OrtDeviceMemoryType memory_type) {
  if (ep_device == nullptr) return nullptr;
  for (const OrtMemoryInfo* memory : ep_device->memories()) {
    if (memory->allocator_type == OrtReadOnlyAllocator) continue;  // for constants only
    if (memory->device_mem_type == api::number_of(memory_type)) return memory;
  }
  return nullptr;
}

OrtStatus* OrtGetNumHardwareDevices(const OrtEnv* env, size_t* num_devices) {
  return guard([&]() -> Status {
    ORTC_OUT(num_devices);
    ORTC_NEEDED(env);
    *num_devices = env->shared->devices.hardware(env->shared->environment->providers()).size();
    return {};
  });
}

OrtStatus* OrtGetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** devices,
                                 size_t num_devices) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(devices);
    const auto known = env->shared->devices.hardware(env->shared->environment->providers());
    if (num_devices < known.size()) {
      return invalid_argument("'num_devices' is ", num_devices, ", but there are ", known.size());
    }
    for (size_t i = 0; i < known.size(); ++i) devices[i] = known[i];
    return {};
  });
}

}  // extern "C"
