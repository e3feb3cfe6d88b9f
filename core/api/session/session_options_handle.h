// SPDX-License-Identifier: MIT
// Options of sessions: what the program set, and what the inside takes, where names of providers
// have become their factories.
#pragma once

#include <string>
#include <vector>

#include "core/api/custom/custom_domain.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/thread_functions.h"
#include "core/session/model_source.h"
#include "core/session/session_options.h"
#include "ort_c/session_options.h"

namespace ortc::api {

// A provider that a program chose: by name, found in the environment of the session, or by devices.
struct ChosenProvider {
  std::string name;
  EpDevices devices;
};

}  // namespace ortc::api

namespace ortc::api {

// A function of the program that is told about progress, with what belongs to it.
struct ProgressListener {
  ProgressListener(OrtProgressFn progress, void* state, OrtReleaseStateFn release)
      : progress_(progress), state_(state), release_(release) {}
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;
  ~ProgressListener() {
    if (release_ != nullptr) release_(state_);
  }
  Status hear(std::string_view stage, std::string_view detail, double fraction) const;

 private:
  OrtProgressFn progress_;
  void* state_;
  OrtReleaseStateFn release_;
};

}  // namespace ortc::api

struct OrtSessionOptions {
  // Without `providers`: those are made of `chosen` when there is an environment.
  ortc::SessionOptions options;
  std::vector<ortc::api::ChosenProvider> chosen;  // in the order in which they were added
  std::vector<std::string> left_out;              // why options were, said when a session is made
  ortc::api::CustomDomains custom;
  ortc::api::ThreadFunctions thread_functions;
  std::shared_ptr<const ortc::api::ProgressListener> load_progress;  // null: none
  bool has_policy = false;
  OrtExecutionProviderDevicePolicy policy = OrtExecutionProviderDevicePolicy_DEFAULT;
  EpSelectionDelegate delegate = nullptr;  // in place of the policy; null: none
  void* delegate_state = nullptr;

  // A setter makes an older entry that says the same void.
  void forget(const char* key) { options.config.erase(key); }
};

namespace ortc::api {

// `options` may be null: the defaults. INVALID_ARGUMENT or NOT_IMPLEMENTED for what no session can
// do. A function of the program that chooses devices is told the `source`.
Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared, const ModelSource& source);

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level);

// What becomes of options that a provider does not have. Programs of ONNX Runtime give its CPU
// provider any; they are left out, and the session warns.
enum class UnknownOptions { kRefused, kLeftOutForCpu };

// Adds a provider with the options that its devices suggest, as its functions below do.
Status choose_provider(OrtSessionOptions& options,
                       const std::shared_ptr<const ProviderFactory>& factory, EpDevices devices);

// The bodies of OrtSessionOptionsAppendExecutionProvider() and its ..._V2().
Status append_provider(OrtSessionOptions* options, const char* provider_name,
                       const char* const* provider_options_keys,
                       const char* const* provider_options_values, size_t num_keys,
                       UnknownOptions unknown);
Status append_provider(OrtSessionOptions* session_options, OrtEnv* env,
                       const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
                       const char* const* ep_option_keys, const char* const* ep_option_vals,
                       size_t num_ep_options, UnknownOptions unknown);

}  // namespace ortc::api
