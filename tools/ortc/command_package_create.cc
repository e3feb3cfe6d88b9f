// SPDX-License-Identifier: MIT
// ortc package create: models that are there, or one model compiled for several targets, as the
// variants of a package.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/compiling.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/package.h"
#include "tools/ortc/output/compile_texts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

// Where models are compiled before they go into the package; ends with everything in it.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& beside) {
    const fs::path place(beside);
    const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
    path_ = (parent / ".ortc_package_XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) {
      throw failure("cannot make a folder in '" + parent.string() + "'");
    }
  }
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // A folder in it.
  std::string folder(const std::string& name) const {
    const fs::path made = fs::path(path_) / name;
    fs::create_directory(made);
    return made.string();
  }

 private:
  std::string path_;
};

std::vector<std::string> split_targets(const std::string& targets) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= targets.size();) {
    const size_t end = std::min(targets.find(';', begin), targets.size());
    const std::string name = targets.substr(begin, end - begin);
    if (name.empty()) throw usage_error("--target: expected names with ';' between");
    names.push_back(name);
    begin = end + 1;
  }
  return names;
}

// "x86-64-v4+avx512vnni" as the name of a folder.
std::string variant_of_target(std::string target) {
  std::replace(target.begin(), target.end(), '+', '-');
  return target;
}

// The compiled model.
std::string compile_for(const OrtEnv* env, const PackageArguments& arguments,
                        const std::string& target, const std::string& folder) {
  CompileArguments one;
  one.session = arguments.session;
  one.session.target = target;
  one.json = arguments.json;
  Progress progress(progress_form(one));
  const SessionOptions session = make_session_options(one.session);
  const auto options = compilation_options(env, session.get(), one, arguments.compile);
  const std::string output = default_output(arguments.compile, folder);
  check(OrtModelCompilationOptions_SetOutputModelPath(options.get(), output.c_str()));
  const auto compiler = make<Compiler>(OrtCreateModelCompiler, env, options.get());
  run_compiler(compiler.get(), session.get(), progress);
  progress.finish();
  return output;
}

void add_variant(OrtModelPackageWriter* writer, const std::string& component,
                 const std::string& variant, const std::string& model) {
  check(OrtModelPackageWriter_AddVariant(writer, component.c_str(), variant.c_str(), model.c_str(),
                                         /*settings=*/nullptr));
}

// --variant [COMPONENT/]NAME=MODEL
void add_given(OrtModelPackageWriter* writer, const PackageArguments& arguments) {
  for (const auto& [name, model] : arguments.variants) {
    const size_t slash = name.find('/');
    const std::string component =
        slash == std::string::npos ? arguments.component : name.substr(0, slash);
    add_variant(writer, component, slash == std::string::npos ? name : name.substr(slash + 1),
                model);
  }
}

PackageWriter make_writer(const PackageArguments& arguments) {
  OrtKeyValuePairs* raw = nullptr;
  OrtCreateKeyValuePairs(&raw);
  const KeyValuePairs info(raw);
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) OrtAddKeyValuePair(info.get(), key, value.c_str());
  };
  set("package_name", arguments.name);
  set("package_version", arguments.version);
  return make<PackageWriter>(OrtCreateModelPackageWriter, info.get());
}

void add_assets(OrtModelPackageWriter* writer, const PackageArguments& arguments) {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  for (const std::string& folder : arguments.assets) {
    char* uri = nullptr;
    check(OrtModelPackageWriter_AddSharedAsset(writer, folder.c_str(), allocator, &uri));
    say_line(printable(folder) + ": " + take_text(uri));
  }
}

}  // namespace

int command_package_create(const PackageArguments& arguments) {
  const PackageWriter writer = make_writer(arguments);
  add_given(writer.get(), arguments);
  std::unique_ptr<WorkFolder> work;
  if (!arguments.compile.empty()) {
    const Env env = make_env(arguments.session.verbose);
    work = std::make_unique<WorkFolder>(arguments.output);
    const std::string targets = arguments.session.target;
    for (const std::string& target : split_targets(targets.empty() ? "host" : targets)) {
      const std::string variant = variant_of_target(target);
      add_variant(writer.get(), arguments.component, variant,
                  compile_for(env.get(), arguments, target, work->folder(variant)));
    }
  }
  add_assets(writer.get(), arguments);
  const uint32_t flags =
      arguments.link ? OrtModelPackageWriteFlags_LINK_FILES : OrtModelPackageWriteFlags_NONE;
  const Json report = json_of(
      make<Inspection>(OrtModelPackageWriter_Write, writer.get(), arguments.output.c_str(), flags));
  std::fputs(
      arguments.json ? (report.dump() + "\n").c_str() : files_text(report.at("files")).c_str(),
      stdout);
  return kExitOk;
}

}  // namespace ortc::tool
