// SPDX-License-Identifier: MIT
// The Compile API: see the header.
#include "core/session/compile_to_output.h"

#include "core/platform/path.h"
#include "core/session/sharing.h"
#include "core/session/stages.h"

namespace ortc {

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
    rules.output = OutputPlace::streamed(*options.output_stream, options.output_binary_folder,
                                         options.output_binary_model_name);
    if (!options.output_binary_model_name.empty()) {
      session_options.output_for_libraries =
          path_join(options.output_binary_folder, options.output_binary_model_name);
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
        ASSIGN_OR_RETURN(CompiledModel compiled, compile_source(input, rules, making));
        return std::move(compiled.facts.report);
      });
  RETURN_IF_ERROR(settle(member.get(), made.is_ok() ? Status::ok() : made.status()));
  return made;
}

}  // namespace ortc
