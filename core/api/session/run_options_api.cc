// SPDX-License-Identifier: MIT
// ort_c/run_options.h: what one run shall do.
#include "core/api/env/config_entries.h"
#include "core/api/guard.h"
#include "core/api/plugin/memory/sync_stream_handle.h"
#include "core/api/session/run_options_handle.h"
#include "ort_c/run_options.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateRunOptions(OrtRunOptions** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = new OrtRunOptions;
    return {};
  });
}

void OrtReleaseRunOptions(OrtRunOptions* options) { delete options; }

OrtStatus* OrtRunOptionsSetTerminate(OrtRunOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.terminate = true;
    return {};
  });
}

OrtStatus* OrtRunOptionsUnsetTerminate(OrtRunOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.terminate = false;
    return {};
  });
}

OrtStatus* OrtRunOptionsSetRunTag(OrtRunOptions* options, const char* run_tag) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.tag = run_tag != nullptr ? run_tag : "";
    return {};
  });
}

OrtStatus* OrtRunOptionsGetRunTag(const OrtRunOptions* options, const char** run_tag) {
  return guard([&]() -> Status {
    ORTC_OUT(run_tag);
    ORTC_NEEDED(options);
    *run_tag = options->options.tag.c_str();
    return {};
  });
}

OrtStatus* OrtRunOptionsSetRunLogSeverityLevel(OrtRunOptions* options, int log_severity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_severity("log_severity_level", log_severity_level));
    options->options.log_severity = log_severity_level;
    return {};
  });
}

OrtStatus* OrtRunOptionsGetRunLogSeverityLevel(const OrtRunOptions* options,
                                               int* log_severity_level) {
  return guard([&]() -> Status {
    ORTC_OUT(log_severity_level);
    ORTC_NEEDED(options);
    *log_severity_level = options->options.log_severity;
    return {};
  });
}

OrtStatus* OrtRunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options, int log_verbosity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_not_negative("log_verbosity_level", log_verbosity_level));
    options->options.log_verbosity = log_verbosity_level;
    return {};
  });
}

OrtStatus* OrtRunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* options,
                                                int* log_verbosity_level) {
  return guard([&]() -> Status {
    ORTC_OUT(log_verbosity_level);
    ORTC_NEEDED(options);
    *log_verbosity_level = options->options.log_verbosity;
    return {};
  });
}

OrtStatus* OrtAddRunConfigEntry(OrtRunOptions* options, const char* config_key,
                                const char* config_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(config_value);
    return api::set_run_entry(options->options, config_key, config_value);
  });
}

const char* OrtGetRunConfigEntry(const OrtRunOptions* options, const char* config_key) {
  if (options == nullptr || config_key == nullptr) return nullptr;
  return api::guard_value<const char*>(nullptr, [&]() -> const char* {
    const auto place = options->options.config.find(config_key);
    return place != options->options.config.end() ? place->second.c_str() : nullptr;
  });
}

OrtStatus* OrtRunOptionsEnableProfiling(OrtRunOptions* options, const char* profile_file_prefix) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(profile_file_prefix);
    options->options.profiling = true;
    options->options.profile_prefix = profile_file_prefix;
    return {};
  });
}

OrtStatus* OrtRunOptionsDisableProfiling(OrtRunOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.profiling = false;
    return {};
  });
}

void OrtRunOptionsSetSyncStream(OrtRunOptions* options, OrtSyncStream* sync_stream) {
  if (options == nullptr) return;
  options->options.stream = {};
  if (sync_stream != nullptr) options->options.stream = {sync_stream, &sync_stream->memory()};
}

}  // extern "C"
