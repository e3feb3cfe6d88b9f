// SPDX-License-Identifier: MIT
// ortc compile --share: several models into one context binary, all files or none.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/compiling.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/output/compile_texts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;
using SharingGroup = Handle<OrtSharingGroup, OrtReleaseSharingGroup>;

// The path without links and dots, as far as it exists.
fs::path real_path(const std::string& path) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(path, error), error);
}

// One for each model, in one folder. What the library would say after the first model was compiled
// is said here.
std::vector<std::string> outputs_of(const CompileArguments& arguments) {
  std::vector<std::string> outputs;
  std::map<fs::path, std::string> models;  // by output
  std::error_code error;
  for (const std::string& model : arguments.models) {
    if (!fs::exists(model, error)) throw failure("the model '" + model + "' does not exist");
    const std::string output = default_output(model, arguments.output_dir);
    check_output(output, model);
    outputs.push_back(output);
    if (real_path(outputs.front()).parent_path() != real_path(output).parent_path()) {
      throw failure("models that share a context binary go to one folder, and '" + outputs.front() +
                    "' and '" + output + "' are in two")
          .set_hint("name a folder for all files: --out-dir DIR");
    }
    const auto [known, is_new] = models.emplace(real_path(output), model);
    if (!is_new) {
      throw failure("'" + known->second + "' and '" + model + "' would both be compiled to '" +
                    output + "'")
          .set_hint("give one of them another name");
    }
  }
  return outputs;
}

class GroupCompile {
 public:
  explicit GroupCompile(const CompileArguments& arguments)
      : arguments_(arguments), progress_(progress_form(arguments)), folder_(arguments.output_dir) {}

  int run() {
    const std::vector<std::string> outputs = outputs_of(arguments_);
    env_ = make_env(arguments_.session.verbose);
    session_ = make_session_options(arguments_.session);
    add_compile_entries(session_.get(), arguments_);
    group_ = make<SharingGroup>(OrtCreateSharingGroup, env_.get());
    check(OrtSessionOptionsSetSharingGroup(session_.get(), group_.get()));
    for (const std::string& model : arguments_.models) {
      check_dimensions(model, arguments_.session.dimensions);
    }
    for (size_t i = 0; i < outputs.size(); i++) compile(i, outputs[i]);
    if (arguments_.dry_run) check(OrtSharingGroup_Abort(group_.get()));
    progress_.finish();
    show();
    return kExitOk;
  }

 private:
  void compile(size_t i, const std::string& output) {
    const std::string& model = arguments_.models[i];
    progress_.begin_model(model, i, arguments_.models.size());
    if (i + 1 == arguments_.models.size() && !arguments_.dry_run) {
      check(OrtAddSessionConfigEntry(session_.get(), kOrtSessionOptionStopShareEpContexts, "1"));
    }
    const auto options = compilation_options(env_.get(), session_.get(), arguments_, model);
    check(OrtModelCompilationOptions_SetOutputModelPath(options.get(), output.c_str()));
    check(OrtModelCompilationOptions_SetEpContextEmbedMode(options.get(), false));
    const auto compiler = make<Compiler>(OrtCreateModelCompiler, env_.get(), options.get());
    run_compiler(compiler.get(), session_.get(), progress_);
    compiled_.push_back({model, report_of(compiler.get())});
    if (compiled_.back().report.at("partitions").items().empty()) {
      say_line(styled(stderr, Style::kYellow, "warning") + ": nothing of '" + printable(model) +
               "' was compiled: its output is a plain model");
    }
  }

  Json group_report() const {
    OrtAllocator* allocator = nullptr;
    char* text = nullptr;
    check(OrtGetAllocatorWithDefaultOptions(&allocator));
    check(OrtSharingGroup_GetReportJson(group_.get(), allocator, &text));
    return Json::parse(take_text(text));
  }

  void show() const {
    const Json group = group_report();
    if (!arguments_.json) {
      const std::string files =
          arguments_.dry_run ? "no files written: a dry run\n" : files_text(group.at("files"));
      std::fputs((files + shared_text(group) + work_text(compiled_)).c_str(), stdout);
      return;
    }
    Json models = Json::array();
    for (const CompiledModel& one : compiled_) {
      models.push(Json::object().set("model", one.name).set("report", one.report));
    }
    std::printf("%s\n", Json::object()
                            .set("schema", "ortc.compile_group/1")
                            .set("models", models)
                            .set("dry_run", arguments_.dry_run)
                            .set("group", group)
                            .dump()
                            .c_str());
  }

  const CompileArguments& arguments_;
  Progress progress_;  // first: it says what form the log has
  OutputFolder folder_;
  Env env_;
  SessionOptions session_;
  SharingGroup group_;
  std::vector<CompiledModel> compiled_;
};

}  // namespace

int command_compile_share(const CompileArguments& arguments) {
  return GroupCompile(arguments).run();
}

}  // namespace ortc::tool
