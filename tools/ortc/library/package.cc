// SPDX-License-Identifier: MIT
// Sessions from packages: see the header.

#include "tools/ortc/library/package.h"

#include <filesystem>

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
  const auto selected = make<PackageComponent>(OrtModelPackage_SelectComponent, package.get(),
                                               name.c_str(), wanted.get());
  const char* variant = nullptr;
  check(OrtModelPackageComponent_GetSelectedVariantName(selected.get(), &variant));
  say_line("component " + printable(name) + ", variant " + printable(variant));
  const OrtSessionOptions* given = says_nothing(arguments) ? nullptr : options.get();
  return load_session_by(
      [&] { return make<Session>(OrtModelPackage_CreateSession, env, selected.get(), given); },
      root, options.get());
}

}  // namespace ortc::tool
