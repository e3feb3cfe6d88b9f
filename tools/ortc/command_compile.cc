// SPDX-License-Identifier: MIT
// ortc compile: from a model to a compiled model, with progress and a report.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/progress.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

constexpr size_t kMaxRows = 20;

ProgressForm progress_form(const CompileArguments& arguments) {
  if (arguments.progress == "plain") return ProgressForm::kPlain;
  if (arguments.progress == "bar") return ProgressForm::kBar;
  if (arguments.progress == "json") return ProgressForm::kJson;
  if (arguments.progress == "none" || arguments.json) return ProgressForm::kNone;
  return is_terminal(stderr) ? ProgressForm::kBar : ProgressForm::kPlain;
}

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

void set_output(OrtModelCompilationOptions* options, const CompileArguments& arguments,
                DryOutput& dry) {
  if (arguments.dry_run) {
    OrtAllocator* allocator = nullptr;
    check(OrtGetAllocatorWithDefaultOptions(&allocator));
    check(
        OrtModelCompilationOptions_SetOutputModelBuffer(options, allocator, &dry.bytes, &dry.size));
  } else if (!arguments.output.empty()) {
    check(OrtModelCompilationOptions_SetOutputModelPath(options, arguments.output.c_str()));
  }
  // Only an embedded context has its place in memory.
  check(OrtModelCompilationOptions_SetEpContextEmbedMode(options,
                                                         arguments.embed || arguments.dry_run));
  if (!arguments.external_data.empty() && !arguments.dry_run) {
    check(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, arguments.external_data.c_str(), arguments.threshold));
  }
}

CompilationOptions compilation_options(const OrtEnv* env, OrtSessionOptions* session,
                                       const CompileArguments& arguments, DryOutput& dry) {
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
  auto options =
      make<CompilationOptions>(OrtCreateModelCompilationOptionsFromSessionOptions, env, session);
  OrtModelCompilationOptions* raw = options.get();
  check(OrtModelCompilationOptions_SetInputModelPath(raw, arguments.model.c_str()));
  set_output(raw, arguments, dry);
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

// "m_aot.bin" for "./m_aot.bin".
std::string plain_path(const std::string& path) {
  return printable(std::filesystem::path(path).lexically_normal().string());
}

// `dry_bytes`: what a dry run would have written, 0 for one that did.
std::string files_text(const Json& report, size_t dry_bytes) {
  Table table({"file", "size"});
  for (const Json& file : report.at("files").items()) {
    table.add({plain_path(file.text("path")), size_text(file.count("bytes"))});
  }
  if (dry_bytes > 0) {
    return "no files written: a dry run; the compiled model would take " + size_text(dry_bytes) +
           "\n";
  }
  return table.empty() ? "no files written\n" : table.text();
}

std::string providers_text(const Json& report) {
  std::map<std::string, size_t> partitions;
  for (const Json& partition : report.at("partitions").items()) {
    partitions[partition.text("provider")]++;
  }
  Table table({"execution provider", "nodes", "compiled parts"});
  const Json nodes = report.at("nodes_by_provider");
  for (const std::string& provider : nodes.keys()) {
    table.add({provider, nodes.text(provider), std::to_string(partitions[provider])});
  }
  return table.empty() ? "no nodes\n" : table.text();
}

// Nodes that the compiling providers refused, each with the reason.
std::string left_text(const Json& report) {
  const std::vector<Json> left = report.at("left_on_cpu").items();
  if (left.empty()) return "";
  Table table({"left to the CPU provider", "operator", "reason"});
  for (size_t i = 0; i < std::min(left.size(), kMaxRows); i++) {
    const std::string node = left[i].text("node");
    table.add({node.empty() ? "(no name)" : printable(node), printable(left[i].text("op_type")),
               printable(left[i].text("reason"))});
  }
  std::string text = "\n" + table.text();
  if (left.size() > kMaxRows) {
    text += "and " + count_text(left.size() - kMaxRows, "more node") + "; --json lists all\n";
  }
  return text;
}

std::string times_text(const Json& report) {
  Table table({"stage", "time"});
  for (const Json& stage : report.at("stages").items()) {
    table.add({stage.text("stage"), time_text(stage.number("ms") * 1e6)});
  }
  table.add({"all", time_text(report.number("total_ms") * 1e6)});
  return table.text();
}

std::string report_text(const Json& report, size_t dry_bytes) {
  return files_text(report, dry_bytes) + "\n" + providers_text(report) + left_text(report) + "\n" +
         times_text(report);
}

// What can be said of the output before the work is; the library looks again when it writes.
void check_output(const CompileArguments& arguments) {
  namespace fs = std::filesystem;
  if (arguments.dry_run || arguments.output.empty()) return;
  const fs::path output(arguments.output);
  std::error_code error;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  const std::string cannot = "cannot write '" + arguments.output + "': ";
  if (!fs::is_directory(folder, error)) {
    throw failure(cannot + "the folder '" + folder.string() + "' does not exist");
  }
  if (fs::is_directory(output, error)) {
    throw failure(cannot + "it is a folder")
        .set_hint("as in -o " + (output / "m_ctx.onnx").string());
  }
  if (fs::equivalent(output, arguments.model, error)) {
    throw failure(cannot + "it is the source model; choose another output");
  }
}

}  // namespace

int command_compile(const CompileArguments& arguments) {
  Progress progress(progress_form(arguments));  // first: it says what form the log has
  check_output(arguments);
  const Env env = make_env(arguments.session.verbose);
  check_dimensions(arguments.model, arguments.session.dimensions);
  const SessionOptions session = make_session_options(arguments.session);
  DryOutput dry;
  const CompilationOptions options = compilation_options(env.get(), session.get(), arguments, dry);
  const auto compiler = make<Compiler>(OrtCreateModelCompiler, env.get(), options.get());
  check(OrtModelCompiler_SetProgress(compiler.get(), Progress::hear, &progress, nullptr));
  {
    // The compiler's options are a copy of `session` and share its flag.
    const CancelScope scope([&session] {
      OrtReleaseStatus(OrtSessionOptionsSetLoadCancellationFlag(session.get(), /*cancel=*/true));
    });
    check(OrtModelCompiler_Compile(compiler.get()));
  }
  progress.finish();
  const Json report = report_of(compiler.get());
  if (report.at("partitions").items().empty()) {
    say_line(styled(stderr, Style::kYellow, "warning") +
             ": nothing was compiled: the output is a plain model");
  }
  if (arguments.json) {
    std::printf("%s\n", Json::object()
                            .set("schema", "ortc.compile/1")
                            .set("model", arguments.model)
                            .set("dry_run", arguments.dry_run)
                            .set("report", report)
                            .dump()
                            .c_str());
  } else {
    std::fputs(report_text(report, arguments.dry_run ? dry.size : 0).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
