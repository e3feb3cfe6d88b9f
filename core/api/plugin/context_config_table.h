// SPDX-License-Identifier: MIT
// Where libraries find the program's functions for context data: entries of ONNX Runtime's table
// for providers, which were got by name before version 31.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table {

// A new object; ends by ReleaseEpContextConfig().
OrtStatus* SessionOptionsGetEpContextConfig(const OrtSessionOptions* session_options,
                                            OrtEpContextConfig** config) noexcept;
void ReleaseEpContextConfig(OrtEpContextConfig* input) noexcept;
// NULL and NULL when the program set none.
OrtStatus* EpContextConfigGetEpContextDataReadFunc(const OrtEpContextConfig* config,
                                                   OrtReadNamedBufferFunc* read_func,
                                                   void** state) noexcept;
OrtStatus* EpContextConfigGetEpContextDataWriteFunc(const OrtEpContextConfig* config,
                                                    OrtWriteNamedBufferFunc* write_func,
                                                    void** state) noexcept;

}  // namespace ortc::api::table
