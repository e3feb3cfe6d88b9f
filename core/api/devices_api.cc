// SPDX-License-Identifier: MIT
// ort_c/devices.h: execution providers and the hardware they serve.
#include "core/api/guard.h"
#include "core/api/handles.h"
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
    *ep_devices = env->device_list.data();
    *num_ep_devices = env->device_list.size();
    return {};
  });
}

const char* OrtEpDevice_EpName(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->device->factory->name.c_str() : nullptr;
}

const char* OrtEpDevice_EpVendor(const OrtEpDevice* ep_device) {
  return ep_device != nullptr ? ep_device->device->factory->vendor.c_str() : nullptr;
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

}  // extern "C"
