// SPDX-License-Identifier: MIT
// Arguments to compile options, and what is wrong with outputs.

#include "tools/ortc/library/compiling.h"

#include <filesystem>

#include "tools/ortc/output/console.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {

ProgressForm progress_form(const CompileArguments& arguments) {
  if (arguments.progress == "plain") return ProgressForm::kPlain;
  if (arguments.progress == "bar") return ProgressForm::kBar;
  if (arguments.progress == "json") return ProgressForm::kJson;
  if (arguments.progress == "none" || arguments.json) return ProgressForm::kNone;
  return is_terminal(stderr) ? ProgressForm::kBar : ProgressForm::kPlain;
}

void add_compile_entries(OrtSessionOptions* session, const CompileArguments& arguments) {
  if (!arguments.prefix.empty()) {
    check(OrtAddSessionConfigEntry(session, kOrtSessionOptionEpContextNodeNamePrefix,
                                   arguments.prefix.c_str()));
  }
  if (!arguments.compression.empty()) {
    check(OrtAddSessionConfigEntry(session, kOrtSessionOptionEpContextCompression,
                                   arguments.compression.c_str()));
  }
  if (arguments.replace_shared) {
    check(OrtAddSessionConfigEntry(session, kOrtSessionOptionEpContextReplaceShared, "1"));
  }
}

CompilationOptions compilation_options(const OrtEnv* env, const OrtSessionOptions* session,
                                       const CompileArguments& arguments,
                                       const std::string& model) {
  auto options =
      make<CompilationOptions>(OrtCreateModelCompilationOptionsFromSessionOptions, env, session);
  OrtModelCompilationOptions* raw = options.get();
  check(OrtModelCompilationOptions_SetInputModelPath(raw, model.c_str()));
  uint32_t flags = OrtCompileApiFlags_NONE;
  if (arguments.error_if_none) flags |= OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED;
  if (arguments.no_overwrite) flags |= OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS;
  check(OrtModelCompilationOptions_SetFlags(raw, flags));
  check(OrtModelCompilationOptions_SetGraphOptimizationLevel(
      raw, static_cast<GraphOptimizationLevel>(arguments.opt_level)));
  return options;
}

void run_compiler(OrtModelCompiler* compiler, OrtSessionOptions* session, Progress& progress) {
  check(OrtModelCompiler_SetProgress(compiler, Progress::hear, &progress, nullptr));
  // The compiler's options are a copy of `session` and share its flag.
  const CancelScope scope([session] {
    OrtReleaseStatus(OrtSessionOptionsSetLoadCancellationFlag(session, /*cancel=*/true));
  });
  check(OrtModelCompiler_Compile(compiler));
}

Json report_of(const OrtModelCompiler* compiler) {
  const char* text = nullptr;
  check(OrtModelCompiler_GetReportJson(compiler, &text));
  return Json::parse(text);
}

OutputFolder::OutputFolder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return;
  fs::create_directory(path, error);
  if (error) throw failure("cannot make the folder '" + path + "': " + error.message());
  made_ = path;
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  if (!made_.empty()) std::filesystem::remove(made_, error);  // not when something is in it
}

std::string default_output(const std::string& model, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path path(model);
  const fs::path place = folder.empty() ? path.parent_path() : fs::path(folder);
  return (place / (path.stem().string() + "_ctx.onnx")).string();
}

void check_output(const std::string& output, const std::string& model) {
  namespace fs = std::filesystem;
  const fs::path path(output);
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string cannot = "cannot write '" + output + "': ";
  if (!fs::is_directory(folder, error)) {
    throw failure(cannot + "the folder '" + folder.string() + "' does not exist");
  }
  if (fs::is_directory(path, error)) {
    throw failure(cannot + "it is a folder").set_hint("as in -o " + (path / "m_ctx.onnx").string());
  }
  if (fs::equivalent(path, model, error)) {
    throw failure(cannot + "it is the source model; choose another output");
  }
}

}  // namespace ortc::tool
