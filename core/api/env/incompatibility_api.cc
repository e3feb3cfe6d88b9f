// SPDX-License-Identifier: MIT
// ort_c/devices.h: hardware that an execution provider does not serve.
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/incompatibility_handle.h"
#include "core/api/guard.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetHardwareDeviceEpIncompatibilityDetails(
    const OrtEnv* env, const char* ep_name, const OrtHardwareDevice* hw,
    OrtDeviceEpIncompatibilityDetails** details) {
  return guard([&]() -> Status {
    ORTC_OUT(details);
    ORTC_NEEDED(env);
    ORTC_NEEDED(ep_name);
    ORTC_NEEDED(hw);
    if (*ep_name == '\0') return invalid_argument("'ep_name' must not be empty");
    const auto factory = env->shared->environment->providers().find(ep_name);
    if (factory == nullptr) {
      return invalid_argument("No valid factory found for execution provider '", ep_name, "'.");
    }
    ASSIGN_OR_RETURN(Incompatibility found, factory->incompatibility(hw->device));
    *details = new OrtDeviceEpIncompatibilityDetails{std::move(found)};
    return {};
  });
}

OrtStatus* OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(
    const OrtDeviceEpIncompatibilityDetails* details, uint32_t* reasons_bitmask) {
  return guard([&]() -> Status {
    ORTC_OUT(reasons_bitmask);
    ORTC_NEEDED(details);
    *reasons_bitmask = details->found.reasons;
    return {};
  });
}

OrtStatus* OrtDeviceEpIncompatibilityDetails_GetNotes(
    const OrtDeviceEpIncompatibilityDetails* details, const char** notes) {
  return guard([&]() -> Status {
    ORTC_OUT(notes);
    ORTC_NEEDED(details);
    if (!details->found.notes.empty()) *notes = details->found.notes.c_str();
    return {};
  });
}

OrtStatus* OrtDeviceEpIncompatibilityDetails_GetErrorCode(
    const OrtDeviceEpIncompatibilityDetails* details, int32_t* error_code) {
  return guard([&]() -> Status {
    ORTC_OUT(error_code);
    ORTC_NEEDED(details);
    *error_code = details->found.error_code;
    return {};
  });
}

void OrtReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* input) {
  delete input;
}

}  // extern "C"
