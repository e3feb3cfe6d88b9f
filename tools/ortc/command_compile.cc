// SPDX-License-Identifier: MIT
// ortc compile: from a model to a compiled model, with progress and a report.

#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/ortc/api.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/json.h"
#include "tools/ortc/progress.h"
#include "tools/ortc/table.h"

namespace ortc::tool {
namespace {

ProgressForm progress_form(const CompileArguments& arguments) {
  if (arguments.progress == "plain") return ProgressForm::kPlain;
  if (arguments.progress == "json") return ProgressForm::kJson;
  if (arguments.progress == "none" || arguments.json) return ProgressForm::kNone;
  return ProgressForm::kPlain;
}

CompilationOptions compilation_options(const OrtEnv* env, const CompileArguments& arguments) {
  const SessionOptions session = make_session_options(arguments.session);
  if (!arguments.prefix.empty()) {
    check(OrtAddSessionConfigEntry(session.get(), kOrtSessionOptionEpContextNodeNamePrefix,
                                   arguments.prefix.c_str()));
  }
  auto options = make<CompilationOptions>(OrtCreateModelCompilationOptionsFromSessionOptions, env,
                                          session.get());
  OrtModelCompilationOptions* raw = options.get();
  check(OrtModelCompilationOptions_SetInputModelPath(raw, arguments.model.c_str()));
  if (!arguments.output.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelPath(raw, arguments.output.c_str()));
  }
  check(OrtModelCompilationOptions_SetEpContextEmbedMode(raw, arguments.embed));
  if (!arguments.external_data.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
        raw, arguments.external_data.c_str(), arguments.threshold));
  }
  uint32_t flags = OrtCompileApiFlags_NONE;
  if (arguments.error_if_none) flags |= OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED;
  if (arguments.no_overwrite) flags |= OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS;
  check(OrtModelCompilationOptions_SetFlags(raw, flags));
  check(OrtModelCompilationOptions_SetGraphOptimizationLevel(
      raw, static_cast<GraphOptimizationLevel>(arguments.opt_level)));
  return options;
}

Json report_of(const OrtModelCompiler* compiler) {
  const char* text = nullptr;
  check(OrtModelCompiler_GetReportJson(compiler, &text));
  return Json::parse(text);
}

}  // namespace

int command_compile(const CompileArguments& arguments) {
  const Env env = make_env(arguments.session.verbose);
  const CompilationOptions options = compilation_options(env.get(), arguments);
  Progress progress(progress_form(arguments));
  const auto compiler = make<Compiler>(OrtCreateModelCompiler, env.get(), options.get());
  check(OrtModelCompiler_SetProgress(compiler.get(), Progress::hear, &progress, nullptr));
  check(OrtModelCompiler_Compile(compiler.get()));
  const Json report = report_of(compiler.get());
  if (arguments.json) {
    std::printf("%s\n", Json::object()
                            .set("schema", "ortc.compile/1")
                            .set("model", arguments.model)
                            .set("report", report)
                            .dump()
                            .c_str());
  } else {
    std::fputs(json_text(report).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
