// SPDX-License-Identifier: MIT
// What libraries call to offer devices: see plugin_table.h.
#include <memory>

#include "core/api/abi/ort_table_overrides.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/incompatibility_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/guard.h"
#include "core/api/plugin/plugin_library.h"
#include "core/api/plugin/plugin_table.h"
#include "core/api/value/value_handle.h"

namespace ortc::api::table {
namespace {

Result<KeyValues> entries_of(std::string_view what, const OrtKeyValuePairs* pairs) {
  KeyValues entries;
  if (pairs == nullptr) return entries;
  for (const auto& [key, value] : pairs->entries) {
    RETURN_IF_ERROR(text_of_plugin(what, key.c_str()).status());
    RETURN_IF_ERROR(text_of_plugin(what, value.c_str()).status());
    entries.emplace(key, value);
  }
  return entries;
}

const OrtMemoryInfo& info_of(const OrtMemoryDevice* device) {
  return *reinterpret_cast<const OrtMemoryInfo*>(device);
}

Result<std::string> text_from(OrtEpFactory* factory, std::string_view function,
                              const char* (*member)(const OrtEpFactory*)) {
  if (member == nullptr) return invalid_argument("'ep_factory' has no ", function);
  return text_of_plugin(function, member(factory));
}

}  // namespace

OrtStatus* CreateEpDevice(OrtEpFactory* ep_factory, const OrtHardwareDevice* hardware_device,
                          const OrtKeyValuePairs* ep_metadata, const OrtKeyValuePairs* ep_options,
                          OrtEpDevice** ep_device) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(ep_device);
    ORTC_NEEDED(ep_factory);
    ORTC_NEEDED(hardware_device);
    ASSIGN_OR_RETURN(const KeyValues metadata, entries_of("'ep_metadata'", ep_metadata));
    ASSIGN_OR_RETURN(const KeyValues options, entries_of("'ep_options'", ep_options));
    // Older libraries, which have no other place for it, may say it here.
    if (ep_factory->ort_version_supported >= 23 && metadata.contains("version")) {
      return invalid_argument("'ep_metadata' has 'version', which GetVersion tells");
    }
    ASSIGN_OR_RETURN(std::string name, text_from(ep_factory, "GetName", ep_factory->GetName));
    ASSIGN_OR_RETURN(std::string vendor, text_from(ep_factory, "GetVendor", ep_factory->GetVendor));
    *ep_device = OrtEpDevice::make_offer(std::move(name), std::move(vendor), *hardware_device,
                                         metadata, options);
    return {};
  });
}

// Those of an environment are not anybody's to release.
void ReleaseEpDevice(OrtEpDevice* input) noexcept {
  if (is_alive(input)) input->release_offer();
}

OrtStatus* EpDevice_AddAllocatorInfo(OrtEpDevice* ep_device,
                                     const OrtMemoryInfo* allocator_memory_info) noexcept {
  return guard([&]() -> Status {
    ORTC_ALIVE(ep_device);
    ORTC_NEEDED(allocator_memory_info);
    if (allocator_memory_info->device_type == OrtMemoryInfoDeviceType_FPGA) {
      return not_implemented("memory '", allocator_memory_info->name, "' of an FPGA");
    }
    return ep_device->add_memory(*allocator_memory_info);
  });
}

OrtStatus* CreateHardwareDevice(OrtHardwareDeviceType type, uint32_t vendor_id, uint32_t device_id,
                                const char* vendor_name, const OrtKeyValuePairs* metadata,
                                OrtHardwareDevice** hardware_device) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(hardware_device);
    ORTC_NEEDED(vendor_name);
    const int32_t number = number_of(type);
    if (number < OrtHardwareDeviceType_CPU || number > OrtHardwareDeviceType_NPU) {
      return invalid_argument("'type' is ", number, ", expected a value of OrtHardwareDeviceType");
    }
    auto made = std::make_shared<HardwareDevice>();
    made->type = static_cast<DeviceType>(number);
    made->vendor_id = vendor_id;
    made->device_id = device_id;
    ASSIGN_OR_RETURN(made->vendor, text_of_plugin("'vendor_name'", vendor_name));
    ASSIGN_OR_RETURN(made->metadata, entries_of("'metadata'", metadata));
    std::string& is_virtual = made->metadata["is_virtual"];
    is_virtual.assign(1, is_virtual == "1" ? '1' : '0');
    *hardware_device = OrtHardwareDevice::make_own(std::move(made));
    return {};
  });
}

void ReleaseHardwareDevice(OrtHardwareDevice* input) noexcept {
  if (input != nullptr) input->release();
}

// A thread that is in no library means the environment of the tables.
OrtStatus* GetEnvConfigEntries(OrtKeyValuePairs** config_entries) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(config_entries);
    const PluginLibrary* const library = PluginLibrary::current();
    *config_entries =
        new OrtKeyValuePairs(library != nullptr ? library->entries() : shared_env().entries());
    return {};
  });
}

OrtStatus* DeviceEpIncompatibilityDetails_SetDetails(OrtDeviceEpIncompatibilityDetails* details,
                                                     uint32_t reasons_bitmask, int32_t error_code,
                                                     const char* notes) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(details);
    std::string text;
    if (notes != nullptr) {
      ASSIGN_OR_RETURN(text, text_of_plugin("'notes'", notes));
    }
    details->found = {reasons_bitmask, error_code, std::move(text)};
    return {};
  });
}

const OrtMemoryDevice* MemoryInfo_GetMemoryDevice(const OrtMemoryInfo* memory_info) noexcept {
  return memory_info != nullptr ? device_of(*memory_info) : nullptr;
}

const OrtMemoryDevice* Value_GetMemoryDevice(const OrtValue* value) noexcept {
  return value != nullptr && value->is_tensor() ? device_of(value->memory) : nullptr;
}

// What is not there is equal to nothing.
bool MemoryDevice_AreEqual(const OrtMemoryDevice* a, const OrtMemoryDevice* b) noexcept {
  return a != nullptr && b != nullptr && is_same_memory(info_of(a), info_of(b));
}

OrtMemoryInfoDeviceType MemoryDevice_GetDeviceType(const OrtMemoryDevice* memory_device) noexcept {
  return memory_device != nullptr ? info_of(memory_device).device_type
                                  : OrtMemoryInfoDeviceType_CPU;
}

OrtDeviceMemoryType MemoryDevice_GetMemoryType(const OrtMemoryDevice* memory_device) noexcept {
  return memory_device != nullptr ? info_of(memory_device).device_mem_type
                                  : OrtDeviceMemoryType_DEFAULT;
}

uint32_t MemoryDevice_GetVendorId(const OrtMemoryDevice* memory_device) noexcept {
  return memory_device != nullptr ? info_of(memory_device).vendor_id : 0;
}

uint32_t MemoryDevice_GetDeviceId(const OrtMemoryDevice* memory_device) noexcept {
  return memory_device != nullptr ? static_cast<uint32_t>(info_of(memory_device).device_id) : 0;
}

}  // namespace ortc::api::table
