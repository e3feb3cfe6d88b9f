// SPDX-License-Identifier: MIT
// One row for each command; the parser itself takes any words.

#include "tools/ortc/command_line/needs.h"

#include <cstdint>

#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

// What a command cannot do without: how it is called, and what was given.
using Needs = std::vector<std::pair<std::string, std::string>>;

Needs needs_of(const Arguments& a, const CommandGrammar& command) {
  const auto file = [&](size_t i) { return command.positionals[i].names; };
  const auto models = [&](size_t least) {
    const bool is_enough = a.edit.models.size() >= least;
    return Needs{{least == 1 ? file(0) : "two models or more, " + file(0),
                  is_enough ? a.edit.models.front() : ""},
                 {"-o OUT_ctx.onnx", a.edit.output}};
  };
  switch (a.command) {
    case Command::kCompile:
      return {{file(0), a.compile.models.empty() ? "" : a.compile.models.front()}};
    case Command::kRun:
      return {{file(0), a.run.model}};
    case Command::kInspect:
      return {{file(0), a.inspect.files.empty() ? "" : a.inspect.files.front()}};
    case Command::kVerify:
    case Command::kSummary:
      return {{file(0), a.look.file}};
    case Command::kBench:
      return {{file(0), a.bench.model}};
    case Command::kCompare:
      return {{file(0), a.compare.first}, {file(1), a.compare.second}};
    case Command::kDiff:
      return {{file(0), a.look.file}, {file(1), a.look.other}};
    case Command::kPack:
      return models(1);
    case Command::kMerge:
      return models(2);
    case Command::kExtract: {
      Needs needs = models(1);
      needs.emplace_back("--node NAME", a.edit.node);
      return needs;
    }
    case Command::kPrefix: {
      Needs needs = models(1);
      needs.emplace_back("--prefix P", a.edit.prefix);
      return needs;
    }
    case Command::kCache: {
      Needs needs = {{file(0), a.cache.action}, {file(1), a.cache.folder}};
      if (a.cache.action == "explain") needs.emplace_back("MODEL", a.cache.model);
      return needs;
    }
    case Command::kPackage: {
      Needs needs = {{file(0), a.package.action}};
      if (a.package.action != "create") {
        needs.emplace_back("DIR", a.package.folder);
      } else {
        const bool has_models = !a.package.variants.empty() || !a.package.compile.empty();
        needs.emplace_back("--out DIR", a.package.output);
        needs.emplace_back("--variant NAME=MODEL or --compile MODEL.onnx", has_models ? "1" : "");
      }
      return needs;
    }
    case Command::kEpTest:
      return {{file(0), a.ep_test.library}};
    case Command::kDevices:
    case Command::kNone:
      break;
  }
  return {};
}

// Models of a group have one binary, which is a file; and each has an output of its own.
void check_share(const CompileArguments& a) {
  if (!a.share) {
    if (a.models.size() < 2) return;
    throw usage_error("ortc compile: one argument too many, '" + a.models[1] +
                      "' (see 'ortc compile --help')")
        .set_hint("models that share a context binary: ortc compile --share " + a.models[0] + " " +
                  a.models[1]);
  }
  const auto refuse = [](const std::string& option, const std::string& hint) {
    throw usage_error("ortc compile: " + option + " is for one model, not for --share")
        .set_hint(hint);
  };
  if (!a.output.empty()) {
    refuse("-o", "each model is written as IN_ctx.onnx; --out-dir DIR says where");
  }
  if (a.embed) refuse("--embed", "the context binary that models share is a file");
  if (!a.external_data.empty()) {
    refuse("--external-data", "large initializers of all models go to the binary that they share");
  }
}

// Only merge takes several models.
void check_models(const Arguments& a) {
  check_share(a.compile);
  const bool takes_several = a.command == Command::kMerge;
  if (takes_several || a.edit.models.size() < 2) return;
  throw usage_error("ortc " + a.command_name + ": one argument too many, '" + a.edit.models[1] +
                    "' (see 'ortc " + a.command_name + " --help')");
}

void refuse_for(const std::string& command, const std::string& action, const std::string& option,
                bool is_given, const std::string& use) {
  if (!is_given) return;
  throw usage_error("ortc " + command + " " + action + ": " + option + " is for " + use +
                    " (see 'ortc " + command + " --help')");
}

bool has_session(const SessionArguments& a) {
  return !a.providers.empty() || !a.provider_options.empty() || !a.config.empty();
}

// Only explain looks at a model and makes what a session would.
void check_cache(const Arguments& arguments) {
  if (arguments.command != Command::kCache) return;
  const CacheArguments& a = arguments.cache;
  const auto refuse = [&](const char* option, bool is_given, const char* use) {
    refuse_for("cache", a.action, option, is_given, use);
  };
  if (a.action != "prune") refuse("--max-bytes", a.max_bytes != UINT64_MAX, "prune");
  if (a.action == "explain") return;
  if (!a.model.empty()) {
    throw usage_error("ortc cache " + a.action + ": one argument too many, '" + a.model +
                      "' (see 'ortc cache --help')");
  }
  refuse("--ep, --ep-opt and --config", has_session(a.session), "explain");
  refuse("--dim", !a.session.dimensions.empty(), "explain");
  refuse("--threads", a.session.threads != 0, "explain");
}

void check_devices(const Arguments& a) {
  if (a.command != Command::kDevices || !a.devices.library.empty()) return;
  if (a.devices.registration.empty()) return;
  throw usage_error("ortc devices: --name is for --library (see 'ortc devices --help')");
}

// Each action has options of its own; what is made is named by --out.
void check_package(const Arguments& arguments) {
  if (arguments.command != Command::kPackage) return;
  const PackageArguments& a = arguments.package;
  const auto refuse = [&](const char* option, bool is_given, const char* use) {
    refuse_for("package", a.action, option, is_given, use);
  };
  if (a.action == "create") {
    if (!a.folder.empty()) {
      throw usage_error("ortc package create: one argument too many, '" + a.folder +
                        "' (see 'ortc package --help')")
          .set_hint("the folder to make: --out " + a.folder);
    }
    if (!a.compile.empty()) return;
    refuse("--target", !a.session.target.empty(), "--compile");
    refuse("--ep, --ep-opt and --config", has_session(a.session), "--compile");
    return;
  }
  const std::pair<const char*, bool> of_create[] = {{"--out", !a.output.empty()},
                                                    {"--component", a.component != "model"},
                                                    {"--variant", !a.variants.empty()},
                                                    {"--asset", !a.assets.empty()},
                                                    {"--compile", !a.compile.empty()},
                                                    {"--target", !a.session.target.empty()},
                                                    {"--name", !a.name.empty()},
                                                    {"--package-version", !a.version.empty()},
                                                    {"--link", a.link}};
  for (const auto& [option, is_given] : of_create) refuse(option, is_given, "create");
  if (a.action != "verify") return;
  refuse("--ep, --ep-opt and --config", has_session(a.session), "create and show");
}

}  // namespace

void check_needs(const Arguments& a, const CommandGrammar& command) {
  check_models(a);
  check_cache(a);
  check_devices(a);
  check_package(a);
  for (const auto& [name, value] : needs_of(a, command)) {
    if (!value.empty()) continue;
    throw usage_error("ortc " + command.name + " needs " + name + " (see 'ortc " + command.name +
                      " --help')");
  }
}

}  // namespace ortc::tool
