// SPDX-License-Identifier: MIT
// The Compile API: see the header.
#include "core/session/compile_to_output.h"

#include "core/context/context_paths.h"
#include "core/platform/folder_changes.h"
#include "core/platform/path.h"
#include "core/session/sharing.h"
#include "core/session/stages.h"

namespace ortc {
namespace {

// Where files go beside a model that goes to none: where the program says, else where the model
// would be. From memory there may be no such place.
OutputPlace streamed_place(const CompileOptions& options, const ContextSettings& context) {
  std::string folder = options.output_binary_folder, name = options.output_binary_model_name;
  std::string path;
  if (folder.empty() && name.empty()) path = context.file_path;
  if (folder.empty() && name.empty() && path.empty() && !options.input.path.empty()) {
    ContextSettings beside_source;
    beside_source.overwrite = true;  // nothing is written there
    if (auto beside = context_model_path(beside_source, options.input.path); beside.is_ok()) {
      path = std::move(beside).value();
    }
  }
  if (!path.empty()) {
    folder = folder_of_target(path);
    name = path_file_name(path);
  }
  return OutputPlace::streamed(*options.output_stream, std::move(folder), std::move(name));
}

}  // namespace

CompileOptions CompileOptions::from(const SessionOptions& options) {
  CompileOptions compile;
  compile.session = options;
  return compile;
}

void CompileOptions::set_flags(uint32_t flags) {
  error_if_nothing_compiled = (flags & kErrorIfNoNodesCompiled) != 0;
  error_if_output_exists = (flags & kErrorIfOutputExists) != 0;
}

Result<CompileReport> compile_to_output(const std::shared_ptr<const Environment>& environment,
                                        const CompileOptions& options, const MakingLimits& limits) {
  if (!options.input.from_memory && options.input.path.empty()) {
    return invalid_argument("no input model was set");
  }
  SessionOptions session_options = options.session;
  static_cast<SessionSettings&>(session_options) = settings_for_compiling(options.session, options);
  CompileRules rules;
  rules.is_compile_api = true;
  rules.program = options.program;
  rules.error_if_nothing_compiled = options.error_if_nothing_compiled;
  session_options.write_context_data = options.program.write_context_data;
  if (options.weightless) session_options.context.weightless = *options.weightless;
  if (options.replace_shared) session_options.context.replace_shared = true;
  if (options.output_stream) {
    rules.output = streamed_place(options, session_options.context);
    const bool has_name = !options.output_binary_model_name.empty();
    if (has_name) {
      session_options.output_for_libraries =
          path_join(options.output_binary_folder, options.output_binary_model_name);
    } else if (!rules.output->folder.empty()) {
      session_options.output_for_libraries = rules.output->model_path();
    }
  }
  rules.output_is_buffer = options.output_is_buffer;
  ModelSource input = options.input;
  ASSIGN_OR_RETURN(const auto member, join_group(*environment, session_options, rules, input));
  rules.member = member.get();
  auto made = make_again(
      environment, session_options, limits, [&](Making& making) -> Result<CompileReport> {
        if (!input.from_memory && !path_exists(input.path)) {
          return invalid_argument("the input model '", input.path, "' does not exist");
        }
        if (making.settings().profile_prefix) {
          ORTC_LOG(making.logger(), kWarning, "profiler",
                   "profiling was enabled: a compile writes no profile");
        }
        ASSIGN_OR_RETURN(CompiledModel compiled, compile_source(input, rules, making));
        return std::move(compiled.facts.report);
      });
  RETURN_IF_ERROR(settle(member.get(), made.is_ok() ? Status::ok() : made.status()));
  return made;
}

}  // namespace ortc
