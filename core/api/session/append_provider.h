// SPDX-License-Identifier: MIT
// Adding providers to the options of a session.
#pragma once

#include "core/api/session/session_options_handle.h"

namespace ortc::api {

// What becomes of options that a provider does not have. Programs of ONNX Runtime give its CPU
// provider any; they are left out, and the session warns.
enum class UnknownOptions { kRefused, kLeftOutForCpu };

// Adds a provider with the options that its devices suggest, as its functions below do.
Status choose_provider(OrtSessionOptions& options,
                       const std::shared_ptr<const ProviderFactory>& factory, EpDevices devices);

// The bodies of OrtSessionOptionsAppendExecutionProvider() and its younger sister.
Status append_provider(OrtSessionOptions* options, const char* provider_name,
                       const char* const* provider_options_keys,
                       const char* const* provider_options_values, size_t num_keys,
                       UnknownOptions unknown);
Status append_provider(OrtSessionOptions* session_options, OrtEnv* env,
                       const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
                       const char* const* ep_option_keys, const char* const* ep_option_vals,
                       size_t num_ep_options, UnknownOptions unknown);

}  // namespace ortc::api
