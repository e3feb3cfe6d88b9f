// SPDX-License-Identifier: MIT
// The Compile API: see the header.
#include "core/session/model_compiler.h"

#include "core/session/session_builder.h"

namespace ortc {

CompileOptions CompileOptions::from(const SessionOptions& options) {
  CompileOptions compile;
  compile.session = options;
  compile.session.level = OptimisationLevel::kNone;
  compile.session.config.erase("session.graph_optimization_level");
  compile.session.config["ep.context_enable"] = "1";
  compile.session.config["session.disable_model_compile"] = "0";
  compile.session.config["session.compile_only"] = "1";
  compile.embed = false;
  return compile;
}

Result<CompileReport> compile_model(std::shared_ptr<const Environment> environment,
                                    const CompileOptions& options, const Progress& progress) {
  if (!options.input.from_memory && options.input.path.empty()) {
    return invalid_argument("no input model was set");
  }
  if (!options.input.from_memory && !path_exists(options.input.path)) {
    return invalid_argument("the input model '", options.input.path, "' does not exist");
  }
  CompileOptions compile = options;
  auto& config = compile.session.config;
  config["ep.context_embed_mode"] = compile.embed ? "1" : "0";
  if (!compile.output_path.empty()) config["ep.context_file_path"] = compile.output_path;
  if (!compile.external_initializers_file.empty()) {
    config["ep.context_model_external_initializers_file_name"] = compile.external_initializers_file;
  }
  BuildMode mode;
  mode.compile_api = true;
  mode.overwrite = (compile.flags & kErrorIfOutputExists) == 0;
  mode.error_if_nothing_compiled = (compile.flags & kErrorIfNoNodesCompiled) != 0;
  mode.external_threshold = compile.external_threshold;
  mode.replace_shared = compile.replace_shared;
  if (compile.output_stream) {
    mode.output = OutputPlace::streamed(*compile.output_stream, compile.output_binary_folder,
                                        compile.output_binary_model_name);
  }
  ASSIGN_OR_RETURN(auto session, build_session(std::move(environment), compile.input,
                                               compile.session, mode, progress));
  return session->report();
}

}  // namespace ortc
