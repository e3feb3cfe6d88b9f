// SPDX-License-Identifier: MIT
// Sessions from packages: see the header.

#include "tools/ortc/library/package.h"

#include <filesystem>

#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

std::string chosen_component(const OrtModelPackageContext* package, const std::string& given) {
  if (!given.empty()) return given;
  const char* const* names = nullptr;
  size_t count = 0;
  check(OrtModelPackage_GetComponentNames(package, &names, &count));
  if (count == 1) return names[0];
  std::string list;
  for (size_t i = 0; i < count; i++) list += std::string(" '") + names[i] + "'";
  throw usage_error("the package has " + count_text(count, "component") + list)
      .set_hint("--component NAME says which");
}

PackageComponent select_component(const OrtModelPackageContext* package, const std::string& root,
                                  const std::string& name, const OrtModelPackageOptions* wanted) {
  try {
    return make<PackageComponent>(OrtModelPackage_SelectComponent, package, name.c_str(), wanted);
  } catch (ToolError& error) {
    if (error.code() == "FAIL") {
      error.set_exit_code(kExitNotSupported).set_hint("'ortc package show " + root + "' says more");
    }
    throw;
  }
}

// The model of a variant; the root where the package does not tell.
std::string model_of(const OrtModelPackageContext* package, const std::string& root,
                     const std::string& component, const std::string& variant) {
  const Json report = json_of(make<Inspection>(OrtModelPackage_Describe, package, nullptr));
  for (const Json& known : report.at("components").items()) {
    if (known.text("name") != component) continue;
    for (const Json& one : known.at("variants").items()) {
      if (one.text("name") != variant || one.text("model").empty()) continue;
      return (std::filesystem::path(root) / one.text("model")).string();
    }
  }
  return root;
}

bool says_nothing(const SessionArguments& arguments) {
  return arguments.config.empty() && arguments.dimensions.empty() &&
         arguments.provider_options.empty() && arguments.threads == 0 && arguments.target.empty() &&
         arguments.profile.empty() && arguments.residency.empty();
}

}  // namespace

bool is_package(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(path) / "manifest.json", error);
}

LoadedSession load_package_session(const OrtEnv* env, const std::string& root,
                                   const std::string& component,
                                   const SessionArguments& arguments) {
  const SessionOptions options = make_session_options(arguments);
  const auto package = make<Package>(OrtCreateModelPackageContext, root.c_str());
  const std::string name = chosen_component(package.get(), component);
  const auto wanted =
      make<PackageOptions>(OrtCreateModelPackageOptionsFromSessionOptions, env, options.get());
  const auto selected = select_component(package.get(), root, name, wanted.get());
  const char* variant = nullptr;
  check(OrtModelPackageComponent_GetSelectedVariantName(selected.get(), &variant));
  say_line("component " + printable(name) + ", variant " + printable(variant));
  const OrtSessionOptions* given = says_nothing(arguments) ? nullptr : options.get();
  try {
    return load_session_by(
        [&] { return make<Session>(OrtModelPackage_CreateSession, env, selected.get(), given); },
        model_of(package.get(), root, name, variant), options.get());
  } catch (ToolError& error) {
    if (error.exit_code() == kExitNeedsCompilation) {
      error.set_hint("make the package again, with 'ortc package create'");
    }
    throw;
  }
}

}  // namespace ortc::tool
