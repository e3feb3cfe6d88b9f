// SPDX-License-Identifier: MIT
// What compiles of one model and of several have in common.
#pragma once

#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/progress.h"

namespace ortc::tool {

ProgressForm progress_form(const CompileArguments& arguments);

// Config entries that options of `compile` stand for.
void add_compile_entries(OrtSessionOptions* session, const CompileArguments& arguments);
// Of one model; where the output goes is the caller's.
CompilationOptions compilation_options(const OrtEnv* env, const OrtSessionOptions* session,
                                       const CompileArguments& arguments, const std::string& model);

// Compiles, with progress, until a signal. `session` is what the compiler's options were made from.
void run_compiler(OrtModelCompiler* compiler, OrtSessionOptions* session, Progress& progress);
Json report_of(const OrtModelCompiler* compiler);

// The folder for outputs, made when it is not there; one that was made goes again when it is empty.
class OutputFolder {
 public:
  explicit OutputFolder(const std::string& path);  // "": none
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::string made_;
};

// "D/m_ctx.onnx" for "a/m.onnx"; `folder` "" is that of the model.
std::string default_output(const std::string& model, const std::string& folder);
// What can be said of an output before the work is done; the library looks again when it writes.
void check_output(const std::string& output, const std::string& model);

}  // namespace ortc::tool
