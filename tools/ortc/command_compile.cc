// SPDX-License-Identifier: MIT
// ortc compile: from a model to a compiled model, with progress and a report.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/compiling.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/output/compile_texts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

// Where a dry run writes: memory that is given back at once.
struct DryOutput {
  void* bytes = nullptr;
  size_t size = 0;
  ~DryOutput() {
    OrtAllocator* allocator = nullptr;
    OrtReleaseStatus(OrtGetAllocatorWithDefaultOptions(&allocator));
    if (bytes != nullptr) OrtReleaseStatus(OrtAllocatorFree(allocator, bytes));
  }
};

std::string output_of(const CompileArguments& arguments) {
  if (!arguments.output.empty() || arguments.output_dir.empty()) return arguments.output;
  return default_output(arguments.models.front(), arguments.output_dir);
}

void set_output(OrtModelCompilationOptions* options, const CompileArguments& arguments,
                DryOutput& dry) {
  const std::string output = output_of(arguments);
  if (arguments.dry_run) {
    OrtAllocator* allocator = nullptr;
    check(OrtGetAllocatorWithDefaultOptions(&allocator));
    check(
        OrtModelCompilationOptions_SetOutputModelBuffer(options, allocator, &dry.bytes, &dry.size));
  } else if (!output.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelPath(options, output.c_str()));
  }
  // Only an embedded context has its place in memory.
  check(OrtModelCompilationOptions_SetEpContextEmbedMode(options,
                                                         arguments.embed || arguments.dry_run));
  if (!arguments.external_data.empty() && !arguments.dry_run) {
    check(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, arguments.external_data.c_str(), arguments.threshold));
  }
}

// `dry_bytes`: what a dry run would have written, 0 for one that did.
std::string report_text(const std::string& model, const Json& report, size_t dry_bytes) {
  const std::string files = dry_bytes == 0 ? files_text(report.at("files"))
                                           : "no files written: a dry run; the compiled model "
                                             "would take " +
                                                 size_text(dry_bytes) + "\n";
  return files + work_text({{model, report}});
}

}  // namespace

int command_compile(const CompileArguments& arguments) {
  if (arguments.share) return command_compile_share(arguments);
  const std::string& model = arguments.models.front();
  Progress progress(progress_form(arguments));  // first: it says what form the log has
  const OutputFolder folder(arguments.output_dir);
  const std::string output = output_of(arguments);
  if (!arguments.dry_run && !output.empty()) check_output(output, model);
  const Env env = make_env(arguments.session.verbose);
  check_dimensions(model, arguments.session.dimensions);
  const SessionOptions session = make_session_options(arguments.session);
  add_compile_entries(session.get(), arguments);
  DryOutput dry;
  const auto options = compilation_options(env.get(), session.get(), arguments, model);
  set_output(options.get(), arguments, dry);
  const auto compiler = make<Compiler>(OrtCreateModelCompiler, env.get(), options.get());
  run_compiler(compiler.get(), session.get(), progress);
  progress.finish();
  const Json report = report_of(compiler.get());
  if (report.at("partitions").items().empty()) {
    say_line(styled(stderr, Style::kYellow, "warning") +
             ": nothing was compiled: the output is a plain model");
  }
  if (arguments.json) {
    std::printf("%s\n", Json::object()
                            .set("schema", "ortc.compile/1")
                            .set("model", model)
                            .set("dry_run", arguments.dry_run)
                            .set("report", report)
                            .dump()
                            .c_str());
  } else {
    std::fputs(report_text(model, report, arguments.dry_run ? dry.size : 0).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
