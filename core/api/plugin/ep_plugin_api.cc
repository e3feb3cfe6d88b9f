// SPDX-License-Identifier: MIT
// ort_c/ep_plugin.h: libraries of execution providers.
#include "core/api/env/env_handle.h"
#include "core/api/guard.h"
#include "ort_c/ep_plugin.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtRegisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name,
                                               const char* path) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(registration_name);
    ORTC_NEEDED(path);
    if (*registration_name == '\0') {
      return invalid_argument("'registration_name' must not be empty");
    }
    return env->shared->plugins.add(*env->shared, registration_name, path);
  });
}

OrtStatus* OrtUnregisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(registration_name);
    return env->shared->plugins.remove(*env->shared, registration_name);
  });
}

}  // extern "C"
