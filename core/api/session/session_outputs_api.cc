// SPDX-License-Identifier: MIT
// ort_c/session_options.h: what a session says and writes, its log lines, its profile and the
// optimised model.
#include "core/api/env/config_entries.h"
#include "core/api/env/logger_handle.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/session_options.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSetUserLoggingFunction(OrtSessionOptions* options,
                                     OrtLoggingFunction user_logging_function,
                                     void* user_logging_param) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(user_logging_function);
    options->options.log_sink = api::sink_to(user_logging_function, user_logging_param);
    return {};
  });
}

OrtStatus* OrtSetSessionLogId(OrtSessionOptions* options, const char* logid) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(logid);
    options->options.log_id = logid;
    options->forget_entry(kOrtSessionOptionsConfigLogId);
    return {};
  });
}

OrtStatus* OrtSetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                          int session_log_verbosity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(
        api::check_not_negative("session_log_verbosity_level", session_log_verbosity_level));
    options->options.log_verbosity = session_log_verbosity_level;
    options->forget_entry(kOrtSessionOptionsConfigLogVerbosityLevel);
    return {};
  });
}

OrtStatus* OrtSetSessionLogSeverityLevel(OrtSessionOptions* options,
                                         int session_log_severity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_severity("session_log_severity_level", session_log_severity_level));
    options->options.log_severity = session_log_severity_level;
    options->forget_entry(kOrtSessionOptionsConfigLogSeverityLevel);
    return {};
  });
}

OrtStatus* OrtSetOptimizedModelFilePath(OrtSessionOptions* options,
                                        const char* optimized_model_filepath) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(optimized_model_filepath);
    options->options.optimised_model.path = optimized_model_filepath;
    options->forget_entry(kOrtSessionOptionsConfigOptimizedModelFilePath);
    return {};
  });
}

OrtStatus* OrtEnableProfiling(OrtSessionOptions* options, const char* profile_file_prefix) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(profile_file_prefix);
    options->options.profile_prefix = profile_file_prefix;
    options->forget_entry(kOrtSessionOptionsConfigEnableProfiling);
    return {};
  });
}

OrtStatus* OrtDisableProfiling(OrtSessionOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.profile_prefix.reset();
    options->forget_entry(kOrtSessionOptionsConfigEnableProfiling);
    return {};
  });
}

}  // extern "C"
