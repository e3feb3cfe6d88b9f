// SPDX-License-Identifier: MIT
// ortc package create: models that are there, or one model compiled for several targets, as the
// variants of a package.

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/compiling.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/package.h"
#include "tools/ortc/output/compile_texts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/scratch_folder.h"
#include "tools/ortc/output/staged_file.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

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

std::vector<std::string> targets_of(const PackageArguments& arguments) {
  if (arguments.compile.empty()) return {};
  const std::string& targets = arguments.session.target;
  return split_targets(targets.empty() ? "host" : targets);
}

SessionArguments session_for(const PackageArguments& arguments, const std::string& target) {
  SessionArguments session = arguments.session;
  session.target = target;
  return session;
}

// The compiled model.
std::string compile_for(const OrtEnv* env, const PackageArguments& arguments,
                        const std::string& target, const std::string& folder) {
  CompileArguments one;
  one.json = arguments.json;
  Progress progress(progress_form(one));
  const SessionOptions session = make_session_options(session_for(arguments, target));
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

struct GivenVariant {
  std::string component, name, model;
};

// --variant [COMPONENT/]NAME=MODEL
std::vector<GivenVariant> given_variants(const PackageArguments& arguments) {
  std::vector<GivenVariant> variants;
  for (const auto& [name, model] : arguments.variants) {
    const size_t slash = name.find('/');
    const bool has_component = slash != std::string::npos;
    variants.push_back({has_component ? name.substr(0, slash) : arguments.component,
                        has_component ? name.substr(slash + 1) : name, model});
  }
  return variants;
}

void add_given(OrtModelPackageWriter* writer, const PackageArguments& arguments) {
  for (const GivenVariant& variant : given_variants(arguments)) {
    add_variant(writer, variant.component, variant.name, variant.model);
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

// What can be said before models are compiled, which may take long.
void check_plan(const PackageArguments& arguments, const PackageWriter& trial,
                const std::string& output) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(output, error))) {
    throw failure("'" + output + "' exists already; a package is written to a new folder");
  }
  std::set<std::pair<std::string, std::string>> known;
  const auto add = [&](const std::string& component, const std::string& name) {
    if (known.emplace(component, name).second) return;
    throw usage_error("component '" + component + "' has two variants '" + name + "'");
  };
  for (const GivenVariant& variant : given_variants(arguments)) {
    add(variant.component, variant.name);
  }
  for (const std::string& target : targets_of(arguments)) {
    const std::string name = variant_of_target(target);
    add(arguments.component, name);
    make_session_options(session_for(arguments, target));
    add_variant(trial.get(), arguments.component, name, arguments.compile);
  }
}

// Where `path` stands in a report that was made for `staged`.
std::string moved(const std::string& path, const std::string& staged, const std::string& output) {
  return path.compare(0, staged.size(), staged) == 0 ? output + path.substr(staged.size()) : path;
}

Json moved_report(Json report, const std::string& staged, const std::string& output) {
  Json files = Json::array();
  for (Json file : report.at("files").items()) {
    files.push(file.set("path", moved(file.text("path"), staged, output)));
  }
  return report.set("root", output).set("files", files);
}

// All of it beside the place where it goes, so that a signal leaves nothing.
Json write_package(const PackageArguments& arguments, OrtModelPackageWriter* writer,
                   const std::string& output) {
  const ScratchFolder work(folder_of(output));
  if (!arguments.compile.empty()) {
    const Env env = make_env(arguments.session.verbose);
    for (const std::string& target : targets_of(arguments)) {
      const std::string variant = variant_of_target(target);
      const std::string folder = work.path() + "/" + variant;
      fs::create_directory(folder);
      add_variant(writer, arguments.component, variant,
                  compile_for(env.get(), arguments, target, folder));
    }
  }
  const uint32_t flags =
      arguments.link ? OrtModelPackageWriteFlags_LINK_FILES : OrtModelPackageWriteFlags_NONE;
  const std::string staged = work.path() + "/package";
  const Json report =
      json_of(make<Inspection>(OrtModelPackageWriter_Write, writer, staged.c_str(), flags));
  if (renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, output.c_str(), RENAME_NOREPLACE) != 0) {
    throw not_written(output, std::strerror(errno));
  }
  return moved_report(report, staged, output);
}

// "pkg" for "pkg/".
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

int command_package_create(const PackageArguments& arguments) {
  const std::string output = without_slashes(arguments.output);
  check_plan(arguments, make_writer(arguments), output);
  const PackageWriter writer = make_writer(arguments);
  add_given(writer.get(), arguments);
  add_assets(writer.get(), arguments);
  const Json report = write_package(arguments, writer.get(), output);
  std::fputs(
      arguments.json ? (report.dump() + "\n").c_str() : files_text(report.at("files")).c_str(),
      stdout);
  return kExitOk;
}

}  // namespace ortc::tool
