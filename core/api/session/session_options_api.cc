// SPDX-License-Identifier: MIT
// ort_c/session_options.h: what a session or a compiler shall do.
#include <algorithm>
#include <cstring>

#include "core/api/env/config_entries.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/session_options.h"

namespace ortc::api {
namespace {

// A setter makes an older entry that says the same void.
void forget_entry(OrtSessionOptions& options, const char* key) {
  options.options.config.erase(key);
}

std::string provider_list(const std::vector<ProviderFactory>& factories) {
  std::string names;
  for (const ProviderFactory& factory : factories) {
    names += str_cat(names.empty() ? "" : ", ", factory.name, " (", factory.alias, ")");
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
Status add_provider(OrtSessionOptions& options, const ProviderFactory& factory,
                    const KeyValues& given, const KeyValues& suggested, UnknownOptions unknown) {
  const auto& names = options.provider_names;
  if (std::find(names.begin(), names.end(), factory.name) != names.end()) {
    return invalid_argument("provider '", factory.name, "' was added already");
  }
  OrtSessionOptions changed = options;
  for (const auto& [key, value] : given) {
    if (key.empty()) return invalid_argument("the name of a provider option must not be empty");
    const Status status =
        set_session_entry(changed.options, str_cat("ep.", factory.option_prefix, ".", key), value);
    if (!status.is_ok() && unknown == UnknownOptions::kLeftOutForCpu && factory.alias == "CPU") {
      changed.left_out.push_back(status.message());
      continue;
    }
    RETURN_IF_ERROR(status);
  }
  for (const auto& [key, value] : suggested) {
    const std::string entry = str_cat("ep.", factory.option_prefix, ".", key);
    if (changed.options.config.contains(entry)) continue;
    RETURN_IF_ERROR(set_session_entry(changed.options, entry, value));
  }
  changed.provider_names.push_back(factory.name);
  options = std::move(changed);
  return {};
}

// On a machine whose only device is the CPU, what is fast and frugal is what was compiled for it.
std::vector<std::string> providers_of(OrtExecutionProviderDevicePolicy policy) {
  switch (policy) {
    case OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE:
    case OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY:
    case OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER:
      return {"AOT"};
    default:
      return {};  // the CPU provider, which is always there
  }
}

Status set_override(std::vector<std::pair<std::string, int64_t>>& overrides, const char* name,
                    int64_t value) {
  RETURN_IF_ERROR(check_not_negative("dim_value", value));
  for (auto& [known, size] : overrides) {
    if (known != name) continue;
    size = value;
    return {};
  }
  overrides.emplace_back(name, value);
  return {};
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
  const ProviderFactory* factory = registry.find(provider_name);
  if (factory == nullptr) {
    return invalid_argument("no execution provider is called '", provider_name, "'; there are ",
                            provider_list(registry.factories()));
  }
  KeyValues given;
  for (size_t i = 0; i < num_keys; ++i) {
    given[provider_options_keys[i]] = provider_options_values[i];
  }
  return add_provider(*options, *factory, given, {}, unknown);
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
  const ProviderFactory* factory = nullptr;
  KeyValues suggested;
  for (size_t i = 0; i < num_ep_devices; ++i) {
    const auto& known = env->shared->devices.list;
    if (std::find(known.begin(), known.end(), ep_devices[i]) == known.end()) {
      return invalid_argument("'ep_devices[", i, "]' is not a device of this environment");
    }
    const ortc::EpDevice& device = *ep_devices[i]->device;
    if (factory != nullptr && factory != device.factory) {
      return invalid_argument("the devices belong to two execution providers, ", factory->name,
                              " and ", device.factory->name, "; add one provider at a time");
    }
    factory = device.factory;
    suggested.insert(device.options.begin(), device.options.end());
  }
  KeyValues given;
  for (size_t i = 0; i < num_ep_options; ++i) given[ep_option_keys[i]] = ep_option_vals[i];
  return add_provider(*session_options, *factory, given, suggested, unknown);
}

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level) {
  const int32_t number = number_of(level);
  switch (number) {
    case ORT_DISABLE_ALL:
    case ORT_ENABLE_BASIC:
    case ORT_ENABLE_EXTENDED:
    case ORT_ENABLE_LAYOUT:
    case ORT_ENABLE_ALL:
      return static_cast<OptimisationLevel>(number);
  }
  return invalid_argument("'graph_optimization_level' is ", number, ", expected 0, 1, 2, 3 or 99");
}

Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared) {
  if (options == nullptr) return ortc::SessionOptions{};
  RETURN_IF_ERROR(check_provider_entries(options->options, shared));
  ortc::SessionOptions resolved = options->options;
  const std::vector<std::string> names = options->provider_names.empty() && options->has_policy
                                             ? providers_of(options->policy)
                                             : options->provider_names;
  for (const std::string& name : names) {
    const ProviderFactory* factory = shared.environment->providers().find(name);
    if (factory == nullptr) {
      return invalid_argument("the environment has no execution provider '", name, "'");
    }
    resolved.providers.push_back({factory, {}});
  }
  ASSIGN_OR_RETURN(resolved.thread_hooks, options->thread_functions.hooks());
  report_idle_keys(shared, resolved.config);
  for (const std::string& reason : options->left_out) {
    ORTC_LOG(shared.environment->logger(), kWarning, "config", "an option was ignored: ", reason);
  }
  return resolved;
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSessionOptions(OrtSessionOptions** options) {
  return guard([&]() -> Status {
    ORTC_OUT(options);
    *options = new OrtSessionOptions;
    return {};
  });
}

OrtStatus* OrtCloneSessionOptions(const OrtSessionOptions* in_options,
                                  OrtSessionOptions** out_options) {
  return guard([&]() -> Status {
    ORTC_OUT(out_options);
    ORTC_NEEDED(in_options);
    *out_options = new OrtSessionOptions(*in_options);
    return {};
  });
}

void OrtReleaseSessionOptions(OrtSessionOptions* options) { delete options; }

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

OrtStatus* OrtAddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                    const char* config_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(config_value);
    return api::set_session_entry(options->options, config_key, config_value);
  });
}

OrtStatus* OrtHasSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                    int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    *out = options->options.config.contains(api::canonical_key(config_key)) ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtGetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                    char* config_value, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(size);
    const auto place = options->options.config.find(api::canonical_key(config_key));
    if (place == options->options.config.end()) {
      return fail("config entry '", config_key, "' was not set");
    }
    const size_t room = *size;
    *size = place->second.size() + 1;
    if (config_value == nullptr) return {};
    if (room < *size) {
      return invalid_argument("the value of '", config_key, "' takes ", *size,
                              " bytes, but 'size' is ", room);
    }
    std::memcpy(config_value, place->second.c_str(), *size);
    return {};
  });
}

OrtStatus* OrtSetSessionGraphOptimizationLevel(OrtSessionOptions* options,
                                               GraphOptimizationLevel graph_optimization_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ASSIGN_OR_RETURN(options->options.level, api::optimisation_level(graph_optimization_level));
    api::forget_entry(*options, kOrtSessionOptionsConfigGraphOptimizationLevel);
    return {};
  });
}

OrtStatus* OrtSetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_not_negative("intra_op_num_threads", intra_op_num_threads));
    options->options.intra_op_threads = intra_op_num_threads;
    api::forget_entry(*options, kOrtSessionOptionsConfigIntraOpNumThreads);
    return {};
  });
}

OrtStatus* OrtSetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_not_negative("inter_op_num_threads", inter_op_num_threads));
    options->options.inter_op_threads = inter_op_num_threads;
    api::forget_entry(*options, kOrtSessionOptionsConfigInterOpNumThreads);
    return {};
  });
}

OrtStatus* OrtSetSessionExecutionMode(OrtSessionOptions* options, ExecutionMode execution_mode) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    const int32_t number = api::number_of(execution_mode);
    if (number != ORT_SEQUENTIAL && number != ORT_PARALLEL) {
      return invalid_argument("'execution_mode' is ", number,
                              ", expected a value of ExecutionMode");
    }
    options->options.parallel_execution = number == ORT_PARALLEL;
    api::forget_entry(*options, kOrtSessionOptionsConfigExecutionMode);
    return {};
  });
}

static OrtStatus* set_memory_pattern(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_pattern = on;
    api::forget_entry(*options, kOrtSessionOptionsConfigEnableMemPattern);
    return {};
  });
}

OrtStatus* OrtEnableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, true);
}

OrtStatus* OrtDisableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, false);
}

static OrtStatus* set_memory_arena(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_arena = on;
    api::forget_entry(*options, kOrtSessionOptionsConfigEnableCpuMemArena);
    return {};
  });
}

OrtStatus* OrtEnableCpuMemArena(OrtSessionOptions* options) {
  return set_memory_arena(options, true);
}

OrtStatus* OrtDisableCpuMemArena(OrtSessionOptions* options) {
  return set_memory_arena(options, false);
}

OrtStatus* OrtAddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                       int64_t dim_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(dim_denotation);
    return api::set_override(options->options.dim_overrides_by_denotation, dim_denotation,
                             dim_value);
  });
}

OrtStatus* OrtAddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                             int64_t dim_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(dim_name);
    return api::set_override(options->options.dim_overrides_by_name, dim_name, dim_value);
  });
}

OrtStatus* OrtSetSessionLogId(OrtSessionOptions* options, const char* logid) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(logid);
    options->options.log_id = logid;
    api::forget_entry(*options, kOrtSessionOptionsConfigLogId);
    return {};
  });
}

OrtStatus* OrtSetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                          int session_log_verbosity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(
        api::check_not_negative("session_log_verbosity_level", session_log_verbosity_level));
    options->options.log_verbosity = session_log_verbosity_level;
    api::forget_entry(*options, kOrtSessionOptionsConfigLogVerbosityLevel);
    return {};
  });
}

OrtStatus* OrtSetSessionLogSeverityLevel(OrtSessionOptions* options,
                                         int session_log_severity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_severity("session_log_severity_level", session_log_severity_level));
    options->options.log_severity = session_log_severity_level;
    api::forget_entry(*options, kOrtSessionOptionsConfigLogSeverityLevel);
    return {};
  });
}

}  // extern "C"
