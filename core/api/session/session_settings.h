// SPDX-License-Identifier: MIT
// Session options as the inside takes them: names of providers become their factories.
#pragma once

#include "core/api/handles.h"

namespace ortc::api {

// `options` may be null: the defaults. INVALID_ARGUMENT or NOT_IMPLEMENTED for what no session can
// do.
Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared);

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level);

// What becomes of options that a provider does not have. Programs of ONNX Runtime give its CPU
// provider any; they are left out, and the session warns.
enum class UnknownOptions { kRefused, kLeftOutForCpu };

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
