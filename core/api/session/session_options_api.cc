// SPDX-License-Identifier: MIT
// ort_c/session_options.h: what a session or a compiler shall do.
#include <algorithm>
#include <cstring>

#include "core/api/env/config_entries.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/logger_handle.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/session_options.h"

namespace ortc::api {
namespace {

Status set_override(std::vector<std::pair<std::string, int64_t>>& overrides, const char* name,
                    int64_t value) {
  RETURN_IF_ERROR(check_not_negative("dim_value", value));
  for (auto& [known, size] : overrides) {
    if (known != name) continue;
    size = value;
    return {};
  }
  overrides.emplace_back(name, value);
  return {};
}

}  // namespace

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level) {
  const int32_t number = number_of(level);
  switch (number) {
    case ORT_DISABLE_ALL:
    case ORT_ENABLE_BASIC:
    case ORT_ENABLE_EXTENDED:
    case ORT_ENABLE_LAYOUT:
    case ORT_ENABLE_ALL:
      return static_cast<OptimisationLevel>(number);
    default:
      return invalid_argument("'graph_optimization_level' is ", number,
                              ", expected 0, 1, 2, 3 or 99");
  }
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSessionOptions(OrtSessionOptions** options) {
  return guard([&]() -> Status {
    ORTC_OUT(options);
    *options = new OrtSessionOptions;
    return {};
  });
}

OrtStatus* OrtCloneSessionOptions(const OrtSessionOptions* in_options,
                                  OrtSessionOptions** out_options) {
  return guard([&]() -> Status {
    ORTC_OUT(out_options);
    ORTC_NEEDED(in_options);
    *out_options = new OrtSessionOptions(*in_options);
    return {};
  });
}

void OrtReleaseSessionOptions(OrtSessionOptions* options) { delete options; }

OrtStatus* OrtAddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                    const char* config_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(config_value);
    return api::set_session_entry(options->options, config_key, config_value);
  });
}

OrtStatus* OrtHasSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                    int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    *out = options->options.config.contains(api::canonical_key(config_key)) ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtGetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                    char* config_value, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(config_key);
    ORTC_NEEDED(size);
    const auto place = options->options.config.find(api::canonical_key(config_key));
    if (place == options->options.config.end()) {
      return fail("config entry '", config_key, "' was not set");
    }
    const size_t room = *size;
    *size = place->second.size() + 1;
    if (config_value == nullptr) return {};
    if (room < *size) {
      return invalid_argument("the value of '", config_key, "' takes ", *size,
                              " bytes, but 'size' is ", room);
    }
    std::memcpy(config_value, place->second.c_str(), *size);
    return {};
  });
}

OrtStatus* OrtSetSessionGraphOptimizationLevel(OrtSessionOptions* options,
                                               GraphOptimizationLevel graph_optimization_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ASSIGN_OR_RETURN(options->options.level, api::optimisation_level(graph_optimization_level));
    options->forget(kOrtSessionOptionsConfigGraphOptimizationLevel);
    return {};
  });
}

OrtStatus* OrtSetSessionExecutionMode(OrtSessionOptions* options, ExecutionMode execution_mode) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    const int32_t number = api::number_of(execution_mode);
    if (number != ORT_SEQUENTIAL && number != ORT_PARALLEL) {
      return invalid_argument("'execution_mode' is ", number,
                              ", expected a value of ExecutionMode");
    }
    options->options.parallel_execution = number == ORT_PARALLEL;
    options->forget(kOrtSessionOptionsConfigExecutionMode);
    return {};
  });
}

static OrtStatus* set_memory_pattern(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_pattern = on;
    options->forget(kOrtSessionOptionsConfigEnableMemPattern);
    return {};
  });
}

OrtStatus* OrtEnableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, true);
}

OrtStatus* OrtDisableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, false);
}

static OrtStatus* set_memory_arena(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_arena = on;
    options->forget(kOrtSessionOptionsConfigEnableCpuMemArena);
    return {};
  });
}

OrtStatus* OrtEnableCpuMemArena(OrtSessionOptions* options) {
  return set_memory_arena(options, true);
}

OrtStatus* OrtDisableCpuMemArena(OrtSessionOptions* options) {
  return set_memory_arena(options, false);
}

OrtStatus* OrtAddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                       int64_t dim_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(dim_denotation);
    return api::set_override(options->options.dim_overrides_by_denotation, dim_denotation,
                             dim_value);
  });
}

OrtStatus* OrtAddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                             int64_t dim_value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(dim_name);
    return api::set_override(options->options.dim_overrides_by_name, dim_name, dim_value);
  });
}

OrtStatus* OrtSetSessionLogId(OrtSessionOptions* options, const char* logid) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(logid);
    options->options.log_id = logid;
    options->forget(kOrtSessionOptionsConfigLogId);
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
    options->forget(kOrtSessionOptionsConfigLogVerbosityLevel);
    return {};
  });
}

OrtStatus* OrtSetSessionLogSeverityLevel(OrtSessionOptions* options,
                                         int session_log_severity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_severity("session_log_severity_level", session_log_severity_level));
    options->options.log_severity = session_log_severity_level;
    options->forget(kOrtSessionOptionsConfigLogSeverityLevel);
    return {};
  });
}

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

OrtStatus* OrtSetOptimizedModelFilePath(OrtSessionOptions* options,
                                        const char* optimized_model_filepath) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(optimized_model_filepath);
    options->options.optimised_model.path = optimized_model_filepath;
    options->forget(kOrtSessionOptionsConfigOptimizedModelFilePath);
    return {};
  });
}

OrtStatus* OrtEnableProfiling(OrtSessionOptions* options, const char* profile_file_prefix) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(profile_file_prefix);
    options->options.profile_prefix = profile_file_prefix;
    options->forget(kOrtSessionOptionsConfigEnableProfiling);
    return {};
  });
}

OrtStatus* OrtDisableProfiling(OrtSessionOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.profile_prefix.reset();
    options->forget(kOrtSessionOptionsConfigEnableProfiling);
    return {};
  });
}

OrtStatus* OrtSetDeterministicCompute(OrtSessionOptions* options, bool value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.deterministic = value;
    options->forget(kOrtSessionOptionsConfigUseDeterministicCompute);
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetLoadCancellationFlag(OrtSessionOptions* options, bool cancel) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.cancel_load->store(cancel);
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetLoadProgress(OrtSessionOptions* options, OrtProgressFn progress,
                                            void* state, OrtReleaseStateFn release) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->load_progress =
        std::make_shared<const api::ProgressListener>(progress, state, release);
    return {};
  });
}

OrtStatus* OrtGetSessionOptionsConfigEntries(const OrtSessionOptions* options,
                                             OrtKeyValuePairs** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    *out = new OrtKeyValuePairs(options->options.config);
    return {};
  });
}

OrtStatus* OrtGetMemPatternEnabled(const OrtSessionOptions* options, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    *out = options->options.memory_pattern ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtGetSessionExecutionMode(const OrtSessionOptions* options, ExecutionMode* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    *out = options->options.parallel_execution ? ORT_PARALLEL : ORT_SEQUENTIAL;
    return {};
  });
}

}  // extern "C"
