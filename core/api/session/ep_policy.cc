// SPDX-License-Identifier: MIT
// Choosing providers by a policy: see ep_choice.h.
#include "core/api/session/ep_choice.h"

namespace ortc::api {
namespace {

bool has_entry(const KeyValues& entries, const char* key, std::string_view value) {
  const auto entry = entries.find(key);
  return entry != entries.end() && entry->second == value;
}

// Devices of one provider, one after the other; virtual ones are there for who asks for them.
void choose(const std::shared_ptr<const ortc::EpDevice>& device,
            std::vector<ChosenProvider>& chosen) {
  const std::string_view name = device->factory->name();
  if (has_entry(device->hardware->metadata, "is_virtual", "1")) return;
  if (chosen.empty() || chosen.back().name != name) chosen.push_back({std::string(name), {}});
  chosen.back().devices.push_back(device);
}

// Of the libraries: the first provider that has hardware of the kind, with all it has of that.
void choose_library(DeviceType kind, const EpDevices& devices,
                    std::vector<ChosenProvider>& chosen) {
  std::vector<ChosenProvider> found;
  for (const auto& device : devices) {
    if (device->hardware->type == kind && device->metadata.contains("library_path")) {
      choose(device, found);
    }
  }
  if (!found.empty()) chosen.push_back(std::move(found.front()));
}

// Of this library's own, behind those of other libraries: what is compiled for the processor goes
// before what the default provider runs node by node.
void choose_compilers(const EpDevices& devices, std::vector<ChosenProvider>& chosen) {
  for (const auto& device : devices) {
    if (device->factory->role() == ProviderRole::kClaims &&
        !device->metadata.contains("library_path")) {
      choose(device, chosen);
    }
  }
}

}  // namespace

std::vector<ChosenProvider> choose_by_policy(OrtExecutionProviderDevicePolicy policy,
                                             const ProviderRegistry& registry) {
  const EpDevices devices = registry.devices();
  std::vector<ChosenProvider> chosen;
  switch (policy) {
    case OrtExecutionProviderDevicePolicy_PREFER_CPU:
      choose_library(DeviceType::kCpu, devices, chosen);
      break;
    case OrtExecutionProviderDevicePolicy_PREFER_GPU:
    case OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE:
      choose_library(DeviceType::kGpu, devices, chosen);
      break;
    case OrtExecutionProviderDevicePolicy_PREFER_NPU:
    case OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY:
    case OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER:
      choose_library(DeviceType::kNpu, devices, chosen);
      break;
    default:
      return chosen;
  }
  choose_compilers(devices, chosen);
  return chosen;
}

}  // namespace ortc::api
