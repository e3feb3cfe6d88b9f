// SPDX-License-Identifier: MIT
// ort_c/context.h: compiled models seen from outside.
#include "core/api/env/allocator.h"
#include "core/api/env/device_handles.h"
#include "core/api/guard.h"
#include "core/api/model/inspection_handle.h"
#include "core/api/model/model_entries.h"
#include "core/context/inspect/inspect.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "core/session/session.h"
#include "ort_c/context.h"
#include "ort_c/metadata_keys.h"

namespace ortc::api {
namespace {

Status give_compatibility(Bytes model, const char* ep_type, OrtAllocator& allocator, char** out) {
  ASSIGN_OR_RETURN(
      const auto info,
      find_model_entry(model, str_cat(kOrtModelMetadata_EpCompatibilityInfoPrefix, ep_type)));
  if (!info) return {};
  ASSIGN_OR_RETURN(*out, copy_text(allocator, *info));
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetCompatibilityInfoFromModel(const char* model_path, const char* ep_type,
                                            OrtAllocator* allocator, char** compatibility_info) {
  return guard([&]() -> Status {
    ORTC_OUT(compatibility_info);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(ep_type);
    ORTC_NEEDED(allocator);
    if (*model_path == '\0') return invalid_argument("'model_path' must not be empty");
    if (*ep_type == '\0') return invalid_argument("'ep_type' must not be empty");
    if (path_is_directory(model_path)) {
      return invalid_argument("'", model_path, "' is a folder; expected a model file");
    }
    ASSIGN_OR_RETURN(const auto file, FileMap::open(model_path));
    RETURN_IF_ERROR_WHILE(
        api::give_compatibility(file->bytes(), ep_type, *allocator, compatibility_info),
        "reading '", model_path, "'");
    return {};
  });
}

OrtStatus* OrtGetCompatibilityInfoFromModelBytes(const void* model_data, size_t model_data_length,
                                                 const char* ep_type, OrtAllocator* allocator,
                                                 char** compatibility_info) {
  return guard([&]() -> Status {
    ORTC_OUT(compatibility_info);
    ORTC_NEEDED(model_data);
    ORTC_NEEDED(ep_type);
    ORTC_NEEDED(allocator);
    if (*ep_type == '\0') return invalid_argument("'ep_type' must not be empty");
    if (model_data_length == 0 || model_data_length > INT32_MAX) {
      return invalid_argument("'model_data_length' is ", model_data_length, ", expected 1 to ",
                              INT32_MAX);
    }
    const Bytes bytes(static_cast<const std::byte*>(model_data), model_data_length);
    return api::give_compatibility(bytes, ep_type, *allocator, compatibility_info);
  });
}

OrtStatus* OrtGetModelCompatibilityForEpDevices(const OrtEpDevice* const* ep_devices,
                                                size_t num_ep_devices,
                                                const char* compatibility_info,
                                                OrtCompiledModelCompatibility* out_status) {
  return guard([&]() -> Status {
    ORTC_OUT(out_status);
    ORTC_NEEDED(ep_devices);
    ORTC_NEEDED(compatibility_info);
    if (num_ep_devices == 0) return invalid_argument("'num_ep_devices' is 0, expected 1 or more");
    std::shared_ptr<const ProviderFactory> factory;
    EpDevices devices;
    for (size_t i = 0; i < num_ep_devices; ++i) {
      if (ep_devices[i] == nullptr) {
        return invalid_argument("'ep_devices[", i, "]' must not be NULL");
      }
      ASSIGN_OR_RETURN(const auto device, ep_devices[i]->registered());
      const auto& of_device = device->factory;
      if (factory != nullptr && factory != of_device) {
        return invalid_argument("the devices belong to two execution providers, ", factory->name(),
                                " and ", of_device->name());
      }
      factory = of_device;
      devices.push_back(device);
    }
    std::string reason;
    ASSIGN_OR_RETURN(const Compatibility verdict,
                     factory->judge_for(devices, compatibility_info, &reason));
    *out_status = static_cast<OrtCompiledModelCompatibility>(verdict);
    return {};
  });
}

OrtStatus* OrtInspectFile(const char* path, uint32_t flags, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(path);
    if (*path == '\0') return invalid_argument("'path' must not be empty");
    constexpr uint32_t kKnown = OrtInspectFlags_DETAILS | OrtInspectFlags_VERIFY_DATA |
                                OrtInspectFlags_SUMMARY | OrtInspectFlags_STRUCTURE;
    if ((flags & ~kKnown) != 0) {
      return invalid_argument("'flags' is ", flags, ", expected bits of OrtInspectFlags (", kKnown,
                              ")");
    }
    if (path_is_directory(path)) return invalid_argument("'", path, "' is a folder");
    InspectOptions options;
    options.details = (flags & OrtInspectFlags_DETAILS) != 0;
    options.verify_data = (flags & OrtInspectFlags_VERIFY_DATA) != 0;
    options.summary = (flags & OrtInspectFlags_SUMMARY) != 0;
    options.structure = (flags & OrtInspectFlags_STRUCTURE) != 0;
    const ProviderRegistry providers(built_in_providers());
    auto inspection = std::make_unique<OrtInspection>();
    ASSIGN_OR_RETURN(inspection->json, inspect_file(path, options, providers));
    *out = inspection.release();
    return {};
  });
}

OrtStatus* OrtInspection_GetJson(const OrtInspection* inspection, const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(inspection);
    *out = inspection->json.c_str();
    return {};
  });
}

void OrtReleaseInspection(OrtInspection* inspection) { delete inspection; }

}  // extern "C"
