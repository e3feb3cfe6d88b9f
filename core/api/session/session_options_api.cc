// SPDX-License-Identifier: MIT
// ort_c/session_options.h: options as objects, their config entries, and how a session computes.
#include <cstring>

#include "core/api/env/config_entries.h"
#include "core/api/env/key_values_handle.h"
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
  }
  return invalid_argument("'graph_optimization_level' is ", number, ", expected 0, 1, 2, 3 or 99");
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

OrtStatus* OrtGetSessionOptionsConfigEntries(const OrtSessionOptions* options,
                                             OrtKeyValuePairs** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    *out = new OrtKeyValuePairs(options->options.config);
    return {};
  });
}

OrtStatus* OrtSetSessionGraphOptimizationLevel(OrtSessionOptions* options,
                                               GraphOptimizationLevel graph_optimization_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ASSIGN_OR_RETURN(options->options.level, api::optimisation_level(graph_optimization_level));
    options->forget_entry(kOrtSessionOptionsConfigGraphOptimizationLevel);
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
    options->forget_entry(kOrtSessionOptionsConfigExecutionMode);
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

static OrtStatus* set_memory_pattern(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_pattern = on;
    options->forget_entry(kOrtSessionOptionsConfigEnableMemPattern);
    return {};
  });
}

OrtStatus* OrtEnableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, true);
}

OrtStatus* OrtDisableMemPattern(OrtSessionOptions* options) {
  return set_memory_pattern(options, false);
}

OrtStatus* OrtGetMemPatternEnabled(const OrtSessionOptions* options, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    *out = options->options.memory_pattern ? 1 : 0;
    return {};
  });
}

static OrtStatus* set_memory_arena(OrtSessionOptions* options, bool on) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.memory_arena = on;
    options->forget_entry(kOrtSessionOptionsConfigEnableCpuMemArena);
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

OrtStatus* OrtSetDeterministicCompute(OrtSessionOptions* options, bool value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.deterministic = value;
    options->forget_entry(kOrtSessionOptionsConfigUseDeterministicCompute);
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

}  // extern "C"
