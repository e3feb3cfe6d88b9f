// SPDX-License-Identifier: MIT
// ort_c/session_options.h: which execution providers a session asks, in which order, and the
// options as the inside takes them.
#include <algorithm>

#include "core/api/env/config_entries.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "core/session/session.h"
#include "ort_c/session_options.h"

namespace ortc::api {
namespace {

std::string provider_list(const Factories& factories) {
  std::string names;
  for (const auto& factory : factories) {
    names += str_cat(names.empty() ? "" : ", ", factory->name());
    for (std::string_view alias : factory->aliases()) names += str_cat(" (", alias, ")");
  }
  return names;
}

Status check_texts(std::string_view what, const char* const* texts, size_t count) {
  if (count != 0 && texts == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
  }
  return {};
}

// All or nothing: options that the provider refuses leave `options` as they were.
Status add_provider(OrtSessionOptions& options,
                    const std::shared_ptr<const ProviderFactory>& factory, EpDevices devices,
                    const KeyValues& given, const KeyValues& suggested, UnknownOptions unknown) {
  const auto is_it = [&](const ChosenProvider& one) { return one.name == factory->name(); };
  if (std::any_of(options.chosen.begin(), options.chosen.end(), is_it)) {
    return invalid_argument("provider '", factory->name(), "' was added already");
  }
  const std::string prefix = option_prefixes(*factory).front();
  OrtSessionOptions changed = options;
  for (const auto& [key, value] : given) {
    if (key.empty()) return invalid_argument("the name of a provider option must not be empty");
    const Status status =
        set_session_entry(changed.options, str_cat("ep.", prefix, ".", key), value);
    if (!status.is_ok() && unknown == UnknownOptions::kLeftOutForCpu &&
        factory->role() == ProviderRole::kRest) {
      changed.left_out.push_back(status.message());
      continue;
    }
    RETURN_IF_ERROR(status);
  }
  for (const auto& [key, value] : suggested) {
    const std::string entry = str_cat("ep.", prefix, ".", key);
    if (changed.options.config.contains(entry)) continue;
    RETURN_IF_ERROR(set_session_entry(changed.options, entry, value));
  }
  changed.chosen.push_back({std::string(factory->name()), std::move(devices)});
  options = std::move(changed);
  return {};
}

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

// The default provider is always there behind them.
std::vector<ChosenProvider> providers_of(OrtExecutionProviderDevicePolicy policy,
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

}  // namespace

Status append_provider(OrtSessionOptions* options, const char* provider_name,
                       const char* const* provider_options_keys,
                       const char* const* provider_options_values, size_t num_keys,
                       UnknownOptions unknown) {
  ORTC_NEEDED(options);
  ORTC_NEEDED(provider_name);
  RETURN_IF_ERROR(check_texts("provider_options_keys", provider_options_keys, num_keys));
  RETURN_IF_ERROR(check_texts("provider_options_values", provider_options_values, num_keys));
  const ProviderRegistry registry(built_in_providers());
  const auto factory = registry.find(provider_name);
  if (factory == nullptr) {
    return invalid_argument("no execution provider is called '", provider_name, "'; there are ",
                            provider_list(registry.factories()));
  }
  KeyValues given;
  for (size_t i = 0; i < num_keys; ++i) {
    given[provider_options_keys[i]] = provider_options_values[i];
  }
  return add_provider(*options, factory, {}, given, {}, unknown);
}

Status append_provider(OrtSessionOptions* session_options, OrtEnv* env,
                       const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
                       const char* const* ep_option_keys, const char* const* ep_option_vals,
                       size_t num_ep_options, UnknownOptions unknown) {
  ORTC_NEEDED(session_options);
  ORTC_NEEDED(env);
  ORTC_NEEDED(ep_devices);
  if (num_ep_devices == 0) return invalid_argument("'num_ep_devices' is 0, expected 1 or more");
  RETURN_IF_ERROR(check_texts("ep_option_keys", ep_option_keys, num_ep_options));
  RETURN_IF_ERROR(check_texts("ep_option_vals", ep_option_vals, num_ep_options));
  std::shared_ptr<const ProviderFactory> factory;
  EpDevices devices;
  KeyValues suggested;
  for (size_t i = 0; i < num_ep_devices; ++i) {
    if (!env->shared->devices.has(ep_devices[i])) {
      return invalid_argument("'ep_devices[", i, "]' is not a device of this environment");
    }
    ASSIGN_OR_RETURN(const auto chosen, ep_devices[i]->registered());
    const ortc::EpDevice& device = *chosen;
    if (factory != nullptr && factory != device.factory) {
      return invalid_argument("the devices belong to two execution providers, ", factory->name(),
                              " and ", device.factory->name(), "; add one provider at a time");
    }
    factory = device.factory;
    devices.push_back(chosen);
    suggested.insert(device.options.begin(), device.options.end());
  }
  KeyValues given;
  for (size_t i = 0; i < num_ep_options; ++i) given[ep_option_keys[i]] = ep_option_vals[i];
  return add_provider(*session_options, factory, std::move(devices), given, suggested, unknown);
}

Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared) {
  if (options == nullptr) return ortc::SessionOptions{};
  // A library that was unregistered since still serves those who chose its devices.
  Factories factories = shared.environment->providers().factories();
  for (const ChosenProvider& one : options->chosen) {
    if (!one.devices.empty()) factories.push_back(one.devices.front()->factory);
  }
  RETURN_IF_ERROR(check_provider_entries(options->options, factories));
  ortc::SessionOptions resolved = options->options;
  const std::vector<ChosenProvider> chosen =
      options->chosen.empty() && options->has_policy
          ? providers_of(options->policy, shared.environment->providers())
          : options->chosen;
  for (const ChosenProvider& one : chosen) {
    auto factory = one.devices.empty() ? shared.environment->providers().find(one.name)
                                       : one.devices.front()->factory;
    if (factory == nullptr) {
      return invalid_argument("the environment has no execution provider '", one.name, "'");
    }
    resolved.providers.push_back({std::move(factory), one.devices, {}});
  }
  ASSIGN_OR_RETURN(resolved.custom_operators, make_custom_operators(options->custom));
  ASSIGN_OR_RETURN(resolved.thread_hooks, options->thread_functions.hooks());
  report_idle_keys(shared, resolved.config, factories);
  for (const std::string& reason : options->left_out) {
    ORTC_LOG(shared.environment->logger(), kWarning, "config", "an option was ignored: ", reason);
  }
  return resolved;
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSessionOptionsAppendExecutionProvider(OrtSessionOptions* options,
                                                    const char* provider_name,
                                                    const char* const* provider_options_keys,
                                                    const char* const* provider_options_values,
                                                    size_t num_keys) {
  return guard([&]() -> Status {
    return api::append_provider(options, provider_name, provider_options_keys,
                                provider_options_values, num_keys, api::UnknownOptions::kRefused);
  });
}

OrtStatus* OrtSessionOptionsAppendExecutionProvider_V2(
    OrtSessionOptions* session_options, OrtEnv* env, const OrtEpDevice* const* ep_devices,
    size_t num_ep_devices, const char* const* ep_option_keys, const char* const* ep_option_vals,
    size_t num_ep_options) {
  return guard([&]() -> Status {
    return api::append_provider(session_options, env, ep_devices, num_ep_devices, ep_option_keys,
                                ep_option_vals, num_ep_options, api::UnknownOptions::kRefused);
  });
}

OrtStatus* OrtSessionOptionsSetEpSelectionPolicy(OrtSessionOptions* session_options,
                                                 OrtExecutionProviderDevicePolicy policy) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session_options);
    const int32_t number = api::number_of(policy);
    if (number < OrtExecutionProviderDevicePolicy_DEFAULT ||
        number > OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER) {
      return invalid_argument("'policy' is ", number,
                              ", expected a value of OrtExecutionProviderDevicePolicy");
    }
    session_options->has_policy = true;
    session_options->policy = policy;
    return {};
  });
}

}  // extern "C"
