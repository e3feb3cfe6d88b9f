// SPDX-License-Identifier: MIT
// Verifying packages: see the header.
#include "core/package/verify_package.h"

#include <set>

#include "core/base/json_writer.h"
#include "core/package/asset_hash.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

class Verification {
 public:
  Verification() {
    json_.begin_object().field("schema", "ortc.package_verify/1").key("items").begin_array();
  }

  // `digits` are those that were found.
  void add(std::string_view kind, std::string_view name, std::string_view expected,
           const Result<std::string>& digits) {
    if (!digits.is_ok()) {
      const bool is_missing = digits.status().code() == Code::kNoSuchFile;
      add_item(kind, name, is_missing ? "missing" : "changed", digits.status().message());
    } else if (*digits != expected) {
      add_item(kind, name, "changed", str_cat("expected ", expected, ", found ", *digits));
    } else {
      add_item(kind, name, "sound", {});
    }
  }
  void add_unrecorded(std::string_view name) { add_item("file", name, "not_recorded", {}); }

  std::string finish() {
    json_.end_array().field("verdict", is_sound_ ? "sound" : "broken").end_object();
    return json_.text();
  }

 private:
  void add_item(std::string_view kind, std::string_view name, std::string_view state,
                std::string_view reason) {
    json_.begin_object().field("kind", kind).field("name", name).field("state", state);
    json_.field("reason", reason).end_object();
    is_sound_ = is_sound_ && (state == "sound" || state == "not_recorded");
  }

  JsonWriter json_;
  bool is_sound_ = true;
};

// What the package says of its files, and nothing else of the machine's.
Result<std::string> digits_of(const Package& package, const std::string& name) {
  ASSIGN_OR_RETURN(const std::string path,
                   package.paths.resolve_inside(package.paths.root, name, MustExist::kYes));
  return sha256_of_file(path);
}

// Models of variants that have no hash.
std::set<std::string> unrecorded_models(const Package& package) {
  std::set<std::string> names;
  for (const PackageComponent& component : package.components) {
    for (const PackageVariant& variant : component.variants) {
      if (!variant.model_path.empty()) names.insert(package.paths.shown(variant.model_path));
    }
  }
  for (const auto& [name, digits] : package.file_hashes) names.erase(name);
  return names;
}

}  // namespace

std::string verify_package(const Package& package) {
  Verification verification;
  for (const auto& [name, digits] : package.file_hashes) {
    verification.add("file", name, digits, digits_of(package, name));
  }
  for (const std::string& name : unrecorded_models(package)) verification.add_unrecorded(name);
  for (const SharedAsset& asset : package.assets) {
    verification.add("shared_asset", asset.uri, asset.uri, asset_uri_of_folder(asset.path));
  }
  return verification.finish();
}

}  // namespace ortc
