// SPDX-License-Identifier: MIT
// Execution providers that a session chooses by itself, from the devices that are there.
#pragma once

#include <vector>

#include "core/api/session/session_options_handle.h"

namespace ortc::api {

// By the policy. The default provider always comes after them.
std::vector<ChosenProvider> choose_by_policy(OrtExecutionProviderDevicePolicy policy,
                                             const ProviderRegistry& registry);
// By the program's function. FAIL has its words, or says what is wrong with its choice.
Result<std::vector<ChosenProvider>> choose_by_delegate(const OrtSessionOptions& options,
                                                       SharedEnvironment& shared,
                                                       const ModelSource& source);

}  // namespace ortc::api
