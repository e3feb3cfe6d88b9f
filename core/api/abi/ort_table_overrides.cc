// SPDX-License-Identifier: MIT
// See the header: entries that mean something else through the tables.
#include "core/api/abi/ort_table_overrides.h"

#include "core/api/env/config_entries.h"
#include "core/api/guard.h"

namespace ortc::api::table {

SharedEnv& shared_env() {
  static SharedEnv shared;
  return shared;
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
  OrtStatus* status = guard([&]() -> Status {
    if (options->config_entries == nullptr) return {};
    for (const auto& [key, value] : options->config_entries->entries) {
      RETURN_IF_ERROR(check_entry_sizes(key, value));
      if (is_known_env_key(key)) {
        entries.set(key, value);
      } else {
        unknown += str_cat(unknown.empty() ? "'" : ", '", key, "'");
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
  status = shared_env().join(out, [&] { return OrtCreateEnvWithOptions(&known, out); });
  if (status != nullptr || unknown.empty()) return status;
  return guard([&]() -> Status {
    ORTC_LOG((*out)->shared->environment->logger(), kWarning, "config", "environment keys ",
             unknown, " are unknown and ignored");
    return {};
  });
}

void ReleaseEnv(OrtEnv* input) noexcept { shared_env().leave(input); }

// There was one for training, in libraries built for that.
const OrtTrainingApi* GetTrainingApi(uint32_t) noexcept { return nullptr; }

// None is experimental here: each name is unknown.
OrtExperimentalFnPtr GetExperimentalFunction(const char*) noexcept { return nullptr; }

OrtStatus* GetExecutionProviderApi(const char* provider_name, uint32_t,
                                   const void** provider_api) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(provider_api);
    ORTC_NEEDED(provider_name);
    return invalid_argument("provider '", provider_name, "' has no table of functions of its own");
  });
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
