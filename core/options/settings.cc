// SPDX-License-Identifier: MIT
// What depends on several settings at once: see the headers.
#include "core/options/settings.h"

#include "core/options/relative_name.h"

namespace ortc {
Status check_context_settings(const ContextSettings& settings) {
  if (is_absolute_path(settings.external_initializers)) {
    return make_status(Code::kRuntimeException, "config ",
                       "'ep.context_model_external_initializers_file_name' is the absolute path \"",
                       settings.external_initializers,
                       "\", expected a path relative to the output model");
  }
  RETURN_IF_ERROR_WHILE(judge_relative_name(settings.external_initializers),
                        "the name of the file of external initializers");
  return Status::ok();
}

SessionSettings settings_for_compiling(SessionSettings session, const CompileSettings& compile) {
  ContextSettings& context = session.context;
  context.enable = true;
  context.disable_compile = false;
  context.compile_only = true;
  if (compile.embed) context.embed = *compile.embed;
  context.overwrite = !compile.error_if_output_exists;
  context.external_threshold = compile.external_threshold;
  if (!compile.output_path.empty()) context.file_path = compile.output_path;
  if (!compile.external_initializers.empty()) {
    context.external_initializers = compile.external_initializers;
  }
  session.level = compile.level;
  session.optimised_model = {};
  return session;
}

}  // namespace ortc
