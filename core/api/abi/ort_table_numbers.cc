// SPDX-License-Identifier: MIT
// See ort_table_overrides.h: values that ONNX Runtime takes, and that the functions refuse.
#include <algorithm>

#include "core/api/abi/ort_table_overrides.h"
#include "core/api/guard.h"

namespace ortc::api::table {
namespace {

// The nearest level; below zero that of the environment, or of the session.
template <typename Options>
OrtStatus* set_severity(OrtStatus* (*set)(Options*, int), Options* options, int level) {
  OrtStatus* const status =
      set(options, std::clamp<int>(level, ORT_LOGGING_LEVEL_VERBOSE, ORT_LOGGING_LEVEL_FATAL));
  if (status == nullptr && level < 0) options->options.log_severity = -1;
  return status;
}

}  // namespace

OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) noexcept {
  return OrtSetIntraOpNumThreads(options, std::max(intra_op_num_threads, 0));
}

OrtStatus* SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) noexcept {
  return OrtSetInterOpNumThreads(options, std::max(inter_op_num_threads, 0));
}

OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                    int64_t dim_value) noexcept {
  if (options != nullptr && dim_denotation != nullptr && dim_value < 0) return nullptr;
  return OrtAddFreeDimensionOverride(options, dim_denotation, dim_value);
}

OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                          int64_t dim_value) noexcept {
  if (options != nullptr && dim_name != nullptr && dim_value < 0) return nullptr;
  return OrtAddFreeDimensionOverrideByName(options, dim_name, dim_value);
}

OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options,
                                      int session_log_severity_level) noexcept {
  return set_severity(OrtSetSessionLogSeverityLevel, options, session_log_severity_level);
}

OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                       int session_log_verbosity_level) noexcept {
  return OrtSetSessionLogVerbosityLevel(options, std::max(session_log_verbosity_level, 0));
}

OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options,
                                            int log_severity_level) noexcept {
  return set_severity(OrtRunOptionsSetRunLogSeverityLevel, options, log_severity_level);
}

OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options,
                                             int log_verbosity_level) noexcept {
  return OrtRunOptionsSetRunLogVerbosityLevel(options, std::max(log_verbosity_level, 0));
}

OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                 char* config_value, size_t* size) noexcept {
  OrtStatus* const status = OrtGetSessionConfigEntry(options, config_key, config_value, size);
  if (status == nullptr || OrtGetErrorCode(status) != ORT_FAIL) return status;
  OrtStatus* const other =
      guard([&]() -> Status { return invalid_argument(OrtGetErrorMessage(status)); });
  OrtReleaseStatus(status);
  return other;
}

}  // namespace ortc::api::table
