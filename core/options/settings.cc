// SPDX-License-Identifier: MIT
// What depends on several settings at once: see the headers.
#include "core/options/settings.h"

#include "core/options/relative_name.h"

namespace ortc {
namespace {

Status not_possible(const char* key, std::string_view value, std::string_view reason) {
  return not_implemented("config '", key, "' is ", value, ", but ", reason);
}

}  // namespace

Status check_context_settings(const ContextSettings& settings) {
  if (is_absolute_path(settings.external_initializers)) {
    return make_status(Code::kRuntimeException, "config ",
                       "'ep.context_model_external_initializers_file_name' is the absolute path \"",
                       settings.external_initializers,
                       "\", expected a path relative to the output model");
  }
  if (!settings.enable) return Status::ok();
  if (settings.share) {
    return not_possible("ep.share_ep_contexts", "1",
                        "a context binary that several models share cannot be written; compile "
                        "each model with a binary of its own");
  }
  return Status::ok();
}

SessionSettings settings_for_compiling(SessionSettings session, const CompileSettings& compile) {
  ContextSettings& context = session.context;
  context.enable = true;
  context.disable_compile = false;
  context.compile_only = true;
  context.embed = compile.embed;
  context.overwrite = !compile.error_if_output_exists;
  context.external_threshold = compile.external_threshold;
  if (!compile.output_path.empty()) context.file_path = compile.output_path;
  if (!compile.external_initializers.empty()) {
    context.external_initializers = compile.external_initializers;
  }
  session.level = compile.level;
  return session;
}

}  // namespace ortc
