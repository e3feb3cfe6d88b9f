// SPDX-License-Identifier: MIT
// Where libraries find the program's functions for context data: experimental entries of ONNX
// Runtime's interface, which are got by name.
#pragma once

#include "ort_c/model_compiler.h"
#include "ort_c/session_options.h"

typedef struct OrtEpContextConfig OrtEpContextConfig;

namespace ortc::api {

// A new object; ends by release_ep_context_config().
OrtStatus* get_ep_context_config(const OrtSessionOptions* options,
                                 OrtEpContextConfig** config) noexcept;
void release_ep_context_config(OrtEpContextConfig* config) noexcept;
// NULL and NULL when the program set none.
OrtStatus* get_ep_context_read_function(const OrtEpContextConfig* config,
                                        OrtReadEpContextDataFunc* function, void** state) noexcept;
OrtStatus* get_ep_context_write_function(const OrtEpContextConfig* config,
                                         OrtWriteEpContextDataFunc* function,
                                         void** state) noexcept;

}  // namespace ortc::api
