// SPDX-License-Identifier: MIT
// Names of what generation writes: the output model's path and the context binary's.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/options/context_settings.h"

namespace ortc {

// The output model's path: the explicit one, else the source's with "_ctx.onnx" for its extension
// (whatever follows the last dot of its file name). INVALID_ARGUMENT when it is a folder, the
// explicit one has no extension, or neither path is known; FAIL "... exists already" when something
// stands there and `overwrite` is not set.
Result<std::string> context_model_path(const ContextSettings& options,
                                       const std::string& source_path);

// "a/m_ctx.onnx", "aot" -> "m_aot.bin": the file name without extension and without a trailing
// "_ctx", then the suffix.
std::string context_binary_name(const std::string& model_path, std::string_view provider_suffix);

}  // namespace ortc
