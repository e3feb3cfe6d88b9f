// SPDX-License-Identifier: MIT
// ortc package: what a model package has and which of it runs here, and whether its files are as
// they were written. Making one is in command_package_create.cc.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/package.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

std::string variant_mark(const Json& component, const Json& variant) {
  return component.text("selected") == variant.text("name") ? "yes" : "";
}

std::string description_text(const Json& package) {
  std::string text;
  for (const char* key : {"name", "version", "description"}) {
    if (!package.text(key).empty()) text += printable(package.text(key)) + "  ";
  }
  text += "format " + package.text("schema_version") + ", " + package.text("layout") + "\n\n";
  Table table({"component", "variant", "provider", "model", "verdict", "selected", "reason"});
  for (const Json& component : package.at("components").items()) {
    for (const Json& variant : component.at("variants").items()) {
      table.add({printable(component.text("name")), printable(variant.text("name")),
                 printable(variant.text("provider")), printable(variant.text("model")),
                 variant.text("verdict"), variant_mark(component, variant),
                 printable(variant.text("reason"))});
    }
  }
  text += table.text();
  for (const Json& component : package.at("components").items()) {
    if (!component.has("fault")) continue;
    text +=
        "\n" + printable(component.text("name")) + ": " + printable(component.text("fault")) + "\n";
  }
  Table assets({"shared asset", "folder"});
  for (const Json& asset : package.at("shared_assets").items()) {
    assets.add({asset.text("uri"), printable(asset.text("path"))});
  }
  if (!assets.empty()) text += "\n" + assets.text();
  return text;
}

std::string verification_text(const Json& report) {
  Table table({"kind", "name", "state", "reason"});
  for (const Json& item : report.at("items").items()) {
    table.add({item.text("kind"), printable(item.text("name")), item.text("state"),
               printable(item.text("reason"))});
  }
  const bool is_sound = report.text("verdict") == "sound";
  return (table.empty() ? "" : table.text() + "\n") +
         styled(stdout, is_sound ? Style::kGreen : Style::kRed, report.text("verdict")) + "\n";
}

void show(const Json& report, bool as_json, std::string (*as_text)(const Json&)) {
  const std::string text = as_json ? report.dump() + "\n" : as_text(report);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

int command_package(const PackageArguments& arguments) {
  if (arguments.action == "create") return command_package_create(arguments);
  const auto package = make<Package>(OrtCreateModelPackageContext, arguments.folder.c_str());
  if (arguments.action == "verify") {
    const Json report = json_of(make<Inspection>(OrtModelPackage_Verify, package.get()));
    show(report, arguments.json, verification_text);
    return report.text("verdict") == "sound" ? kExitOk : kExitFailure;
  }
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  const auto wanted = make<PackageOptions>(OrtCreateModelPackageOptionsFromSessionOptions,
                                           env.get(), options.get());
  const Json report =
      json_of(make<Inspection>(OrtModelPackage_Describe, package.get(), wanted.get()));
  show(report, arguments.json, description_text);
  return kExitOk;
}

}  // namespace ortc::tool
