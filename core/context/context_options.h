// SPDX-License-Identifier: MIT
// The options of EPContext generation and loading, read from a session's config entries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ortc {

struct ContextOptions {
  bool enable = false;                // ep.context_enable
  std::string file_path;              // ep.context_file_path
  bool embed = false;                 // ep.context_embed_mode
  std::string node_name_prefix;       // ep.context_node_name_prefix
  std::string external_initializers;  // ep.context_model_external_initializers_file_name
  bool disable_compile = false;       // session.disable_model_compile
  bool fail_on_suboptimal = false;    // session.fail_on_suboptimal_compiled_model
  bool compile_only = false;          // session.compile_only
  std::string external_folder;        // session.model_external_initializers_file_folder_path

  // Generation by the Compile API: what its flags and setters say on top.
  bool overwrite = false;
  uint64_t external_threshold = 0;
};

// INVALID_ARGUMENT for a value that is not what its key takes ("0", "1", a relative path), but
// RUNTIME_EXCEPTION, as in ONNX Runtime, for an absolute path where a relative one is wanted.
Result<ContextOptions> context_options_from(const std::map<std::string, std::string>& config);

// The output model's path: the explicit one, else the source's with "_ctx.onnx" for its extension
// (whatever follows the last dot of its file name). INVALID_ARGUMENT when it is a folder, the
// explicit one has no extension, or neither path is known; FAIL "... exists already" when something
// stands there and `overwrite` is not set.
Result<std::string> context_model_path(const ContextOptions& options,
                                       const std::string& source_path);

// "a/m_ctx.onnx", "aot" -> "m_aot.bin": the file name without extension and without a trailing
// "_ctx", then the suffix.
std::string context_binary_name(const std::string& model_path, std::string_view provider_suffix);

}  // namespace ortc
