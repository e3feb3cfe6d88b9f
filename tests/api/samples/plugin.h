// SPDX-License-Identifier: MIT
// What the design document's samples for plugins take for granted; included before them.
#pragma once

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#define ORT_API_MANUAL_INIT
#include "onnxruntime_cxx_api.h"
#undef ORT_API_MANUAL_INIT

#define EXPORT_SYMBOL __attribute__((visibility("default")))
#define EXCEPTION_TO_RETURNED_STATUS_BEGIN try {
#define EXCEPTION_TO_RETURNED_STATUS_END   \
  }                                        \
  catch (const Ort::Exception& failure) {  \
    return Ort::Status(failure).release(); \
  }

struct EpFactoryVirtualGpu : OrtEpFactory {
  EpFactoryVirtualGpu(const OrtApi& ort_api, const OrtEpApi& ep_api, const OrtModelEditorApi&,
                      bool allow_virtual_devices, const OrtLogger&)
      : OrtEpFactory{},
        ort_api_(ort_api),
        ep_api_(ep_api),
        allow_virtual_devices_(allow_virtual_devices) {
    ort_version_supported = ORT_API_VERSION;
    GetName = [](const OrtEpFactory*) { return "VirtualGpuEp"; };
    GetVendor = [](const OrtEpFactory*) { return "vendor"; };
    GetVersion = [](const OrtEpFactory*) { return "0.1.0"; };
    GetSupportedDevices = GetSupportedDevicesImpl;
    CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const*,
                  const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions*,
                  const OrtLogger*, OrtEp**) {
      return static_cast<EpFactoryVirtualGpu*>(self)->ort_api_.CreateStatus(
          ORT_NOT_IMPLEMENTED, "the document does not show it");
    };
    ReleaseEp = [](OrtEpFactory*, OrtEp*) {};
  }
  ~EpFactoryVirtualGpu() { ep_api_.ReleaseHardwareDevice(virtual_hw_device_); }

  static OrtStatus* ORT_API_CALL GetSupportedDevicesImpl(
      OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices, size_t num_devices,
      OrtEpDevice** ep_devices, size_t max_ep_devices, size_t* p_num_ep_devices) noexcept;

  const OrtApi& ort_api_;
  const OrtEpApi& ep_api_;
  bool allow_virtual_devices_;
  uint32_t vendor_id_ = 0xBE57;
  std::string vendor_ = "vendor";
  OrtHardwareDevice* virtual_hw_device_ = nullptr;
};
