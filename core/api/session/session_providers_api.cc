// SPDX-License-Identifier: MIT
// ort_c/session_options.h: which execution providers a session asks, in which order.
#include "core/api/env/env_handle.h"
#include "core/api/guard.h"
#include "core/api/session/append_provider.h"
#include "ort_c/session_options.h"

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
    session_options->delegate = nullptr;
    session_options->delegate_state = nullptr;
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetEpSelectionPolicyDelegate(OrtSessionOptions* session_options,
                                                         EpSelectionDelegate delegate,
                                                         void* delegate_state) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session_options);
    session_options->has_policy = true;
    session_options->policy = OrtExecutionProviderDevicePolicy_DEFAULT;
    session_options->delegate = delegate;
    session_options->delegate_state = delegate_state;
    return {};
  });
}

}  // extern "C"
