// SPDX-License-Identifier: MIT
// ortc compile: from a model to a compiled model, with progress and a report.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/compiling.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/model_files.h"
#include "tools/ortc/output/compile_texts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

// What a dry run would write, counted: the model, its binaries and its external data.
struct DryOutput {
  uint64_t bytes = 0;
  uint64_t threshold = 0;
  uint64_t external_bytes = 0;
  std::string external_data;  // as --external-data

  static OrtStatus* take_model(void* state, const void*, size_t size) {
    static_cast<DryOutput*>(state)->bytes += size;
    return nullptr;
  }
  static OrtStatus* take_binary(void* state, const char*, const void*, size_t size) {
    return take_model(state, nullptr, size);
  }
  static OrtStatus* take_initializer(void* state, const char*, const OrtValue* value,
                                     const OrtExternalInitializerInfo*,
                                     OrtExternalInitializerInfo** out) {
    DryOutput& dry = *static_cast<DryOutput*>(state);
    size_t size = 0;
    if (OrtStatus* status = OrtGetTensorSizeInBytes(value, &size)) return status;
    if (size < dry.threshold) return nullptr;
    const auto at = static_cast<int64_t>(dry.external_bytes);
    dry.external_bytes += size;
    return OrtCreateExternalInitializerInfo(dry.external_data.c_str(), at, size, out);
  }
};

std::string output_of(const CompileArguments& arguments) {
  if (!arguments.output.empty() || arguments.output_dir.empty()) return arguments.output;
  return default_output(arguments.models.front(), arguments.output_dir);
}

// Nothing is kept: what the model and its binaries take may be more than memory has.
void set_dry_output(OrtModelCompilationOptions* options, const CompileArguments& arguments,
                    DryOutput& dry) {
  check(OrtModelCompilationOptions_SetOutputModelWriteFunc(options, DryOutput::take_model, &dry));
  check(
      OrtModelCompilationOptions_SetEpContextDataWriteFunc(options, DryOutput::take_binary, &dry));
  if (arguments.external_data.empty()) return;
  dry.external_data = arguments.external_data;
  dry.threshold = arguments.threshold;
  check(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
      options, DryOutput::take_initializer, &dry));
}

void set_output(OrtModelCompilationOptions* options, const CompileArguments& arguments) {
  const std::string output = output_of(arguments);
  if (!output.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelPath(options, output.c_str()));
  }
  if (!arguments.external_data.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, arguments.external_data.c_str(), arguments.threshold));
  }
}

// `dry_bytes`: what a dry run would have written, 0 for one that did.
std::string report_text(const std::string& model, const Json& report, uint64_t dry_bytes) {
  const std::string files = dry_bytes == 0 ? files_text(report.at("files"))
                                           : "no files written: a dry run; the compiled model "
                                             "would take " +
                                                 size_text(dry_bytes) + "\n";
  return files + work_text({{model, report}});
}

}  // namespace

int command_compile(const CompileArguments& arguments) {
  for (const std::string& model : arguments.models) check_model_is_there(model);
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
  if (arguments.embed) {
    check(OrtModelCompilationOptions_SetEpContextEmbedMode(options.get(), true));
  }
  if (arguments.dry_run) {
    set_dry_output(options.get(), arguments, dry);
  } else {
    set_output(options.get(), arguments);
  }
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
    std::fputs(report_text(model, report, dry.bytes + dry.external_bytes).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
