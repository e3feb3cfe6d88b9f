// SPDX-License-Identifier: MIT
// See the header: entries that mean something else through the tables.
#include "core/api/abi/ort_table_overrides.h"

#include <map>

#include "core/api/env/available_providers.h"
#include "core/api/env/config_entries.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/guard.h"
#include "core/api/kernel/kernel_context.h"
#include "core/api/session/append_provider.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/session_options_handle.h"

namespace ortc::api::table {

SharedEnv& shared_env() {
  static SharedEnv shared;
  return shared;
}

KeyValues SharedEnv::entries() {
  const std::lock_guard lock(mutex_);
  return env_ != nullptr ? env_->shared->entries : KeyValues();
}

OrtEnv* SharedEnv::enter(OrtEnv* made) {
  const std::lock_guard lock(mutex_);
  if (env_ == nullptr) env_ = made;
  if (env_ != nullptr) ++count_;
  return env_;
}

void SharedEnv::leave(OrtEnv* env) {
  {
    const std::lock_guard lock(mutex_);
    // Environments made by the functions are their own.
    if (env == env_ && env != nullptr) {
      if (--count_ > 0) return;
      env_ = nullptr;
    }
  }
  OrtReleaseEnv(env);
}

// The options are judged even when they change nothing, because there is an environment already.
OrtStatus* CreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out) noexcept {
  if (options == nullptr || out == nullptr) return OrtCreateEnvWithOptions(options, out);
  *out = nullptr;
  OrtEnvCreationOptions known = *options;
  OrtKeyValuePairs entries;
  std::string unknown;
  KeyValues others;
  OrtStatus* status = guard([&]() -> Status {
    if (options->config_entries == nullptr) return {};
    for (const auto& [key, value] : options->config_entries->entries) {
      RETURN_IF_ERROR(check_entry_sizes(key, value));
      if (is_known_env_key(key)) {
        entries.set(key, value);
      } else {
        unknown += str_cat(unknown.empty() ? "'" : ", '", key, "'");
        others.emplace(key, value);
      }
    }
    known.config_entries = &entries;
    return {};
  });
  if (status != nullptr) return status;
  OrtEnvCreationOptions trial = known;
  trial.threading_options = nullptr;
  OrtEnv* env = nullptr;
  status = OrtCreateEnvWithOptions(&trial, &env);
  if (status != nullptr) return status;
  OrtReleaseEnv(env);
  status = shared_env().join(out, [&] {
    OrtStatus* const made = OrtCreateEnvWithOptions(&known, out);
    // Libraries may know them.
    if (made == nullptr) (*out)->shared->entries.merge(std::move(others));
    return made;
  });
  if (status != nullptr || unknown.empty()) return status;
  return guard([&]() -> Status {
    ORTC_LOG((*out)->shared->environment->logger(), kWarning, "config", "environment keys ",
             unknown, " are unknown here; libraries of providers are told of them");
    return {};
  });
}

void ReleaseEnv(OrtEnv* input) noexcept { shared_env().leave(input); }

// There was one for training, in libraries built for that.
const OrtTrainingApi* GetTrainingApi(uint32_t) noexcept { return nullptr; }

OrtStatus* GetExecutionProviderApi(const char* provider_name, uint32_t,
                                   const void** provider_api) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(provider_api);
    ORTC_NEEDED(provider_name);
    return invalid_argument("provider '", provider_name, "' has no table of functions of its own");
  });
}

namespace {

// Clients of the tables compare some of ONNX Runtime's sentences whole. The functions say more
// behind them, from `detail` on; this gives such a status without it. Owns `status`.
OrtStatus* without_detail(OrtStatus* status, std::string_view sentence, std::string_view detail) {
  if (status == nullptr) return nullptr;
  const std::string_view text = OrtGetErrorMessage(status);
  const size_t end = text.find(detail);
  if (!text.starts_with(sentence) || end == text.npos) return status;
  OrtStatus* const cut = guard([&]() -> Status { return invalid_argument(text.substr(0, end)); });
  OrtReleaseStatus(status);
  return cut;
}

// Inputs by name, each with the last value that it is given.
struct LastInputs {
  std::vector<const char*> names;
  std::vector<const OrtValue*> values;

  LastInputs(const char* const* given_names, const OrtValue* const* given, size_t count) {
    std::map<std::string_view, size_t> places;
    for (size_t i = 0; i < count; ++i) {
      const auto [known, is_new] = places.try_emplace(given_names[i], names.size());
      if (is_new) {
        names.push_back(given_names[i]);
        values.push_back(given[i]);
      } else {
        values[known->second] = given[i];
      }
    }
  }
};

}  // namespace

OrtStatus* Run(OrtSession* session, const OrtRunOptions* run_options,
               const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
               const char* const* output_names, size_t output_names_len,
               OrtValue** outputs) noexcept {
  OrtStatus* status = OrtRun(session, run_options, input_names, inputs, input_len, output_names,
                             output_names_len, outputs);
  // Nothing has run then, and the lists are whole.
  if (status != nullptr &&
      std::string_view(OrtGetErrorMessage(status)).ends_with("' was given twice")) {
    OrtReleaseStatus(status);
    status = guard([&]() -> Status {
      const LastInputs last(input_names, inputs, input_len);
      return take_status(OrtRun(session, run_options, last.names.data(), last.values.data(),
                                last.names.size(), output_names, output_names_len, outputs));
    });
  }
  status = without_detail(status, "Unexpected input data type. ", "; input '");
  return without_detail(status, "Unexpected output data type. ", "; output '");
}

OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                         size_t dim_count) noexcept {
  return without_detail(OrtSetDimensions(info, dim_values, dim_count), "dim_values must be ",
                        "; 'dim_values[");
}

OrtStatus* GetAvailableProviders(char*** out_ptr, int* provider_length) noexcept {
  return guard([&]() -> Status {
    return give_provider_names(out_ptr, provider_length, [](const ProviderFactory& factory) {
      return factory.role() == ProviderRole::kRest;
    });
  });
}

OrtStatus* KernelContext_GetPreallocatedOutput(const OrtKernelContext* context, size_t output_index,
                                               OrtValue** output) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(output);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*output, context->made_output(output_index));
    return {};
  });
}

OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* options,
                                                 const char* provider_name,
                                                 const char* const* provider_options_keys,
                                                 const char* const* provider_options_values,
                                                 size_t num_keys) noexcept {
  return guard([&]() -> Status {
    return append_provider(options, provider_name, provider_options_keys, provider_options_values,
                           num_keys, UnknownOptions::kLeftOutForCpu);
  });
}

OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* session_options, OrtEnv* env,
                                                    const OrtEpDevice* const* ep_devices,
                                                    size_t num_ep_devices,
                                                    const char* const* ep_option_keys,
                                                    const char* const* ep_option_vals,
                                                    size_t num_ep_options) noexcept {
  return guard([&]() -> Status {
    return append_provider(session_options, env, ep_devices, num_ep_devices, ep_option_keys,
                           ep_option_vals, num_ep_options, UnknownOptions::kLeftOutForCpu);
  });
}

OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
                                        const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
                                        const char* const*, const char* const*, size_t) noexcept {
  return OrtCreateAndRegisterAllocatorV2(env, provider_type, mem_info, arena_cfg, nullptr, nullptr,
                                         0);
}

OrtStatus* CreateSessionOptions(OrtSessionOptions** options) noexcept {
  OrtStatus* const status = OrtCreateSessionOptions(options);
  if (status == nullptr) (*options)->options.lenient = true;
  return status;
}

OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                 const char* config_value) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(config_value);
    return set_session_entry(options->options, config_key, config_value, UnknownKeys::kKeep);
  });
}

OrtStatus* AddRunConfigEntry(OrtRunOptions* options, const char* config_key,
                             const char* config_value) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(config_value);
    return set_run_entry(options->options, config_key, config_value, UnknownKeys::kKeep);
  });
}

}  // namespace ortc::api::table
