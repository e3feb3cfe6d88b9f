// SPDX-License-Identifier: MIT
// Reading manifests and components: see package.h. Variants are in read_variant.cc.
#include <algorithm>
#include <array>
#include <charconv>

#include "core/package/read_variant.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr std::string_view kManifestKeys[] = {
    "schema_version", "package_name", "package_version", "description",
    "layout",         "components",   "shared_assets",   "additional_metadata"};
constexpr std::string_view kComponentKeys[] = {"component_name", "variants", "additional_metadata"};
constexpr int64_t kSchemaMajor = 1, kSchemaMinor = 0;
constexpr size_t kComponentsMax = 1024, kVariantsMax = 1024, kAssetsMax = 4096;

bool parse_number(std::string_view text, int64_t& out) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
}

// "1.0"; a number stands for a version without minor part.
Status read_schema(const JsonTree& manifest, Package& package) {
  const JsonTree* version = manifest.find("schema_version");
  if (version == nullptr) return invalid_graph("'schema_version' is missing");
  bool is_known = version->kind == JsonTree::Kind::kInteger;
  package.schema_major = version->integer;
  if (version->is_text()) {
    const std::string_view text = version->text;
    const size_t dot = text.find('.');
    is_known =
        parse_number(text.substr(0, dot), package.schema_major) &&
        (dot == std::string_view::npos || parse_number(text.substr(dot + 1), package.schema_minor));
  }
  if (!is_known) {
    return invalid_graph(
        "'schema_version' is ",
        version->is_text() ? str_cat("'", version->text, "'") : std::string(kind_text(*version)),
        ", expected \"<major>.<minor>\"");
  }
  if (package.schema_major == kSchemaMajor) return {};
  return not_implemented("'schema_version' is ", package.schema_major, ".", package.schema_minor,
                         ", this library reads ", kSchemaMajor, ".x");
}

Status read_layout(const JsonTree& manifest, PackagePaths& paths) {
  std::string layout = "portable";
  RETURN_IF_ERROR(read_optional_text(manifest, "layout", layout));
  if (layout != "portable" && layout != "installed") {
    return invalid_graph("'layout' is '", layout, "', expected 'portable' or 'installed'");
  }
  paths.layout = layout == "installed" ? PackageLayout::kInstalled : PackageLayout::kPortable;
  return {};
}

Status add_asset(Package& package, std::string uri, std::string path) {
  if (package.assets.size() == kAssetsMax) {
    return invalid_graph("there are more than ", kAssetsMax, " shared assets");
  }
  package.assets.push_back({std::move(uri), std::move(path)});
  return {};
}

// Those that the manifest names have their places from it; others lie where they belong.
Status read_assets(const JsonTree& manifest, Package& package) {
  static const JsonTree kNone{JsonTree::Kind::kObject, 0, {}, {}, {}};
  const JsonTree* named = manifest.find("shared_assets");
  if (named == nullptr) named = &kNone;
  RETURN_IF_ERROR(expect_object(*named, "'shared_assets'"));
  for (const JsonMember& asset : named->members) {
    if (!is_asset_uri(asset.name)) {
      return invalid_graph("'shared_assets' has '", asset.name,
                           "', expected sha256: and 64 hexadecimal digits in lower case");
    }
    RETURN_IF_ERROR(expect_text(asset.value, str_cat("shared asset '", asset.name, "'")));
    auto path = package.paths.resolve({}, asset.value.text, MustExist::kNo);
    if (!path.is_ok()) {
      return invalid_graph("shared asset '", asset.name, "': ", path.status().message());
    }
    RETURN_IF_ERROR(add_asset(package, asset.name, std::move(path).value()));
  }
  const std::string folder = path_join(package.paths.root, "shared_assets");
  if (!path_is_directory(folder)) return {};
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list_folder(folder));
  for (const std::string& name : names) {
    const std::string uri = asset_uri_of(name);
    if (uri.empty() || named->find(uri) != nullptr) continue;
    // A link that leads away is no asset of a portable package.
    const auto path = package.paths.resolve(folder, name, MustExist::kYes);
    if (!path.is_ok() || !path_is_directory(*path)) continue;
    RETURN_IF_ERROR(add_asset(package, uri, *path));
  }
  return {};
}

// What this library's writer adds: {"ortc": {"files": {"name beneath the root": "digits"}}}.
void read_file_hashes(const JsonTree& manifest, Package& package) {
  const JsonTree* place = &manifest;
  for (const std::string_view key : {"additional_metadata", "ortc", "files"}) {
    place = place->find(key);
    if (place == nullptr) return;
  }
  for (const JsonMember& file : place->members) {
    package.file_hashes.emplace_back(file.name, file.value.text);
  }
}

class PackageReader {
 public:
  explicit PackageReader(Package& package) : package_(package), files_(package.paths) {}

  Status read(const std::string& place) {
    ASSIGN_OR_RETURN(const JsonTree manifest, files_.read(place));
    RETURN_IF_ERROR_WHILE(read_manifest(manifest), "'manifest.json'");
    return {};
  }

 private:
  Status read_manifest(const JsonTree& manifest) {
    RETURN_IF_ERROR(expect_object(manifest, "it"));
    RETURN_IF_ERROR(read_schema(manifest, package_));
    is_strict_ = package_.schema_minor <= kSchemaMinor;
    RETURN_IF_ERROR(read_layout(manifest, package_.paths));
    RETURN_IF_ERROR(check_keys(manifest, kManifestKeys, is_strict_));
    RETURN_IF_ERROR(read_optional_text(manifest, "package_name", package_.name));
    RETURN_IF_ERROR(read_optional_text(manifest, "package_version", package_.version));
    RETURN_IF_ERROR(read_optional_text(manifest, "description", package_.description));
    RETURN_IF_ERROR(read_assets(manifest, package_));
    read_file_hashes(manifest, package_);
    const JsonTree* components = manifest.find("components");
    if (components == nullptr) return invalid_graph("'components' is missing");
    RETURN_IF_ERROR(expect_object(*components, "'components'"));
    if (components->members.size() > kComponentsMax) {
      return invalid_graph("there are ", components->members.size(),
                           " components, expected at most ", kComponentsMax);
    }
    for (const JsonMember& component : components->members) {
      RETURN_IF_ERROR_WHILE(read_component(component), "component '", component.name, "'");
    }
    return {};
  }

  Status read_component(const JsonMember& entry) {
    package_.components.push_back({entry.name, {}});
    if (entry.value.is_object()) return read_body(entry.value, package_.paths.root);
    RETURN_IF_ERROR(expect_text(entry.value, "it"));
    auto place = package_.paths.resolve({}, entry.value.text, MustExist::kYes);
    if (!place.is_ok()) return invalid_graph(place.status().message());
    if (path_is_directory(*place)) *place = path_join(*place, "component.json");
    ASSIGN_OR_RETURN(const JsonTree body, files_.read(*place));
    RETURN_IF_ERROR_WHILE(read_body(body, path_folder(*place)), "'", package_.paths.shown(*place),
                          "'");
    return {};
  }

  Status read_body(const JsonTree& body, const std::string& folder) {
    RETURN_IF_ERROR(expect_object(body, "it"));
    RETURN_IF_ERROR(check_keys(body, kComponentKeys, is_strict_));
    std::string unused;
    RETURN_IF_ERROR(read_optional_text(body, "component_name", unused));
    const JsonTree* variants = body.find("variants");
    if (variants == nullptr) return invalid_graph("'variants' is missing");
    RETURN_IF_ERROR(expect_object(*variants, "'variants'"));
    if (variants->members.size() > kVariantsMax) {
      return invalid_graph("there are ", variants->members.size(), " variants, expected at most ",
                           kVariantsMax);
    }
    for (const JsonMember& entry : variants->members) {
      auto variant = read_variant(package_, files_, folder, entry, is_strict_);
      RETURN_IF_ERROR_WHILE(std::move(variant).status(), "variant '", entry.name, "'");
      package_.components.back().variants.push_back(std::move(variant).value());
    }
    return {};
  }

  Package& package_;
  JsonFiles files_;
  bool is_strict_ = true;
};

}  // namespace

const PackageVariant* PackageComponent::find(std::string_view variant) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const PackageVariant& one) { return one.name == variant; });
  return found == variants.end() ? nullptr : &*found;
}

namespace {

template <typename Named>
std::string names_of(const std::vector<Named>& all) {
  std::string names;
  for (const Named& one : all) names += str_cat(names.empty() ? "'" : ", '", one.name, "'");
  return names.empty() ? "none" : names;
}

}  // namespace

Result<const PackageComponent*> Package::component(std::string_view component_name) const {
  for (const PackageComponent& one : components) {
    if (one.name == component_name) return &one;
  }
  return invalid_argument("the package has no component '", component_name, "'; it has ",
                          names_of(components));
}

Result<const PackageVariant*> Package::variant(std::string_view component_name,
                                               std::string_view variant_name) const {
  ASSIGN_OR_RETURN(const PackageComponent* of, component(component_name));
  if (const PackageVariant* found = of->find(variant_name)) return found;
  return invalid_argument("component '", component_name, "' has no variant '", variant_name,
                          "'; it has ", names_of(of->variants));
}

Result<std::string> Package::resolve(const std::string& base, std::string_view reference,
                                     MustExist must_exist) const {
  const auto asset = split_asset_reference(reference);
  if (!asset) return paths.resolve(base, reference, must_exist);
  for (const SharedAsset& one : assets) {
    if (one.uri != asset->uri) continue;
    if (!asset->tail.empty()) return paths.resolve_inside(one.path, asset->tail, must_exist);
    if (must_exist == MustExist::kNo || path_exists(one.path)) return one.path;
    return make_status(Code::kNoSuchFile, "shared asset '", one.uri, "': '", one.path,
                       "' is not there");
  }
  return make_status(Code::kNotFound, "the package has no shared asset '", asset->uri, "'");
}

namespace {

Status read_manifest(Package& package) {
  const std::string place = path_join(package.paths.root, "manifest.json");
  if (!path_exists(place)) {
    return make_status(Code::kNoSuchFile, "there is no manifest.json in it");
  }
  return PackageReader(package).read(place);
}

}  // namespace

Result<std::shared_ptr<const Package>> read_package(const std::string& root) {
  if (!path_exists(root)) {
    return make_status(Code::kNoSuchFile, "there is no model package '", root, "'");
  }
  if (!path_is_directory(root)) {
    return invalid_argument("'", root, "' is a file; a model package is a folder");
  }
  auto package = std::make_shared<Package>();
  package->paths.root = real_path(root);
  RETURN_IF_ERROR_WHILE(read_manifest(*package), "model package '", root, "'");
  return std::shared_ptr<const Package>(package);
}

}  // namespace ortc
