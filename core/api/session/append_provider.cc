// SPDX-License-Identifier: MIT
// Adding providers to options: see the header.
#include "core/api/session/append_provider.h"

#include <algorithm>

#include "core/api/check_texts.h"
#include "core/api/env/config_entries.h"
#include "core/api/env/device_handles.h"
#include "core/api/guard.h"

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

}  // namespace

Status choose_provider(OrtSessionOptions& options,
                       const std::shared_ptr<const ProviderFactory>& factory, EpDevices devices) {
  KeyValues suggested;
  for (const auto& device : devices) {
    suggested.insert(device->options.begin(), device->options.end());
  }
  return add_provider(options, factory, std::move(devices), {}, suggested,
                      UnknownOptions::kRefused);
}

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
    return invalid_argument(provider_name,
                            " execution provider is not supported in this build: "
                            "no execution provider is called '",
                            provider_name, "'; there are ", provider_list(registry.factories()));
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

}  // namespace ortc::api
