// SPDX-License-Identifier: MIT
// The program's functions for context data, for libraries: see the header.
#include "core/api/guard.h"
#include "core/api/model/context_data_functions.h"
#include "core/api/plugin/context_config_table.h"
#include "core/api/session/session_options_handle.h"

struct OrtEpContextConfig {
  ortc::api::ReadByProgram read{};
  ortc::api::WriteByProgram write{};
};

namespace ortc::api::table {
namespace {

// ONNX Runtime's words for a parameter that is missing.
Status needed(const void* parameter, std::string_view what) {
  return parameter != nullptr ? Status::ok() : invalid_argument(what, " is NULL");
}

}  // namespace

OrtStatus* SessionOptionsGetEpContextConfig(const OrtSessionOptions* session_options,
                                            OrtEpContextConfig** config) noexcept {
  return guard([&]() -> Status {
    empty_outs(config);
    RETURN_IF_ERROR(needed(session_options, "OrtSessionOptions"));
    RETURN_IF_ERROR(needed(config, "Output OrtEpContextConfig"));
    auto made = std::make_unique<OrtEpContextConfig>();
    const ortc::SessionOptions& set = session_options->options;
    if (const auto* read = set.read_context_data.target<ReadByProgram>()) made->read = *read;
    if (const auto* write = set.write_context_data.target<WriteByProgram>()) made->write = *write;
    *config = made.release();
    return {};
  });
}

void ReleaseEpContextConfig(OrtEpContextConfig* input) noexcept { delete input; }

OrtStatus* EpContextConfigGetEpContextDataReadFunc(const OrtEpContextConfig* config,
                                                   OrtReadNamedBufferFunc* read_func,
                                                   void** state) noexcept {
  return guard([&]() -> Status {
    empty_outs(read_func, state);
    RETURN_IF_ERROR(needed(config, "OrtEpContextConfig"));
    RETURN_IF_ERROR(needed(read_func, "Output read_func"));
    RETURN_IF_ERROR(needed(state, "Output state"));
    *read_func = config->read.function;
    *state = config->read.state;
    return {};
  });
}

OrtStatus* EpContextConfigGetEpContextDataWriteFunc(const OrtEpContextConfig* config,
                                                    OrtWriteNamedBufferFunc* write_func,
                                                    void** state) noexcept {
  return guard([&]() -> Status {
    empty_outs(write_func, state);
    RETURN_IF_ERROR(needed(config, "OrtEpContextConfig"));
    RETURN_IF_ERROR(needed(write_func, "Output write_func"));
    RETURN_IF_ERROR(needed(state, "Output state"));
    *write_func = config->write.function;
    *state = config->write.state;
    return {};
  });
}

}  // namespace ortc::api::table
