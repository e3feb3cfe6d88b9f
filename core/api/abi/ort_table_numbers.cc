// SPDX-License-Identifier: MIT
// See ort_table_overrides.h: values that ONNX Runtime takes, and that the functions refuse.
#include <algorithm>

#include "core/api/abi/ort_table_overrides.h"
#include "core/api/guard.h"

namespace ortc::api::table {
namespace {

int severity_near(int level) {
  return std::clamp<int>(level, ORT_LOGGING_LEVEL_VERBOSE, ORT_LOGGING_LEVEL_FATAL);
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

// Below zero means that of the environment, or of the session.
OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options,
                                      int session_log_severity_level) noexcept {
  OrtStatus* const status =
      OrtSetSessionLogSeverityLevel(options, severity_near(session_log_severity_level));
  if (status == nullptr && session_log_severity_level < 0) options->options.log_severity = -1;
  return status;
}

OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                       int session_log_verbosity_level) noexcept {
  return OrtSetSessionLogVerbosityLevel(options, std::max(session_log_verbosity_level, 0));
}

OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options,
                                            int log_severity_level) noexcept {
  OrtStatus* const status =
      OrtRunOptionsSetRunLogSeverityLevel(options, severity_near(log_severity_level));
  if (status == nullptr && log_severity_level < 0) options->options.log_severity = -1;
  return status;
}

OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options,
                                             int log_verbosity_level) noexcept {
  return OrtRunOptionsSetRunLogVerbosityLevel(options, std::max(log_verbosity_level, 0));
}

OrtStatus* EnableProfiling(OrtSessionOptions* options, const char* profile_file_prefix) noexcept {
  OrtStatus* const status = OrtEnableProfiling(options, profile_file_prefix);
  if (status == nullptr) options->options.lenient = true;
  return status;
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
