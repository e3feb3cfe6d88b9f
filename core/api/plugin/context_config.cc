// SPDX-License-Identifier: MIT
// The program's functions for context data, for libraries: see the header.
#include "core/api/plugin/context_config.h"

#include "core/api/guard.h"
#include "core/api/model/context_data_functions.h"
#include "core/api/session/session_options_handle.h"

struct OrtEpContextConfig {
  ortc::api::ReadByProgram read{};
  ortc::api::WriteByProgram write{};
};

namespace ortc::api {
namespace {

// ONNX Runtime's words for a parameter that is missing.
Status needed(const void* parameter, std::string_view what) {
  return parameter != nullptr ? Status::ok() : invalid_argument(what, " is NULL");
}

}  // namespace

OrtStatus* get_ep_context_config(const OrtSessionOptions* options,
                                 OrtEpContextConfig** config) noexcept {
  return guard([&]() -> Status {
    empty_outs(config);
    RETURN_IF_ERROR(needed(options, "OrtSessionOptions"));
    RETURN_IF_ERROR(needed(config, "Output OrtEpContextConfig"));
    auto made = std::make_unique<OrtEpContextConfig>();
    const ortc::SessionOptions& set = options->options;
    if (const auto* read = set.read_context_data.target<ReadByProgram>()) made->read = *read;
    if (const auto* write = set.write_context_data.target<WriteByProgram>()) made->write = *write;
    *config = made.release();
    return {};
  });
}

void release_ep_context_config(OrtEpContextConfig* config) noexcept { delete config; }

OrtStatus* get_ep_context_read_function(const OrtEpContextConfig* config,
                                        OrtReadEpContextDataFunc* function, void** state) noexcept {
  return guard([&]() -> Status {
    empty_outs(function, state);
    RETURN_IF_ERROR(needed(config, "OrtEpContextConfig"));
    RETURN_IF_ERROR(needed(function, "Output read_func"));
    RETURN_IF_ERROR(needed(state, "Output state"));
    *function = config->read.function;
    *state = config->read.state;
    return {};
  });
}

OrtStatus* get_ep_context_write_function(const OrtEpContextConfig* config,
                                         OrtWriteEpContextDataFunc* function,
                                         void** state) noexcept {
  return guard([&]() -> Status {
    empty_outs(function, state);
    RETURN_IF_ERROR(needed(config, "OrtEpContextConfig"));
    RETURN_IF_ERROR(needed(function, "Output write_func"));
    RETURN_IF_ERROR(needed(state, "Output state"));
    *function = config->write.function;
    *state = config->write.state;
    return {};
  });
}

}  // namespace ortc::api
