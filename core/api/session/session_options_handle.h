// SPDX-License-Identifier: MIT
// Options of sessions, as the program set them.
#pragma once

#include <string>
#include <vector>

#include "core/api/custom/custom_domain.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/thread_functions.h"
#include "core/api/progress_listener.h"
#include "core/session/session_options.h"
#include "ort_c/session_options.h"

namespace ortc::api {

// A provider that a program chose: by name, found in the environment of the session, or by devices.
struct ChosenProvider {
  std::string name;
  EpDevices devices;
};

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level);

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
