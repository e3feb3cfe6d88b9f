// SPDX-License-Identifier: MIT
// Writing packages: see the header. Two steps: what goes where is known, with all hashes, before
// anything is written.
#include "core/package/write_package.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/json_writer.h"
#include "core/base/sha256.h"
#include "core/options/relative_name.h"
#include "core/package/asset_hash.h"
#include "core/platform/folder.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/staged_folder.h"
#include "core/proto/named_files.h"

namespace ortc {
namespace {

constexpr std::string_view kWeightsFolderOption =
    "session.model_external_initializers_file_folder_path";

// A file on its way into the package.
struct PlannedFile {
  std::shared_ptr<const FileMap> file;
  std::string digits;
};

struct PlannedVariant {
  const VariantSource* source;
  std::string folder;  // "component/variant"
  OrderedOptions session_options;
  std::map<std::string, PlannedFile> files;  // the model and what it names, by names beside it
};

Result<PlannedFile> plan_file(std::shared_ptr<const FileMap> file) {
  std::string digits = sha256_hex(file->bytes());
  return PlannedFile{std::move(file), std::move(digits)};
}

// The files that the model names, as they are called in the package. Nothing there is outside of
// the model's folder, nor found through a folder that has no file.
Result<std::set<std::string>> files_of(const std::string& path, Bytes model) {
  std::set<std::string> names;
  for (const std::string& name : files_named_by(model)) {
    RETURN_IF_ERROR_WHILE(judge_relative_name(name), "'", path, "' reads the file '", name, "'");
    names.emplace(plain_relative_name(name));
  }
  return names;
}

class PackagePlan {
 public:
  Status add_variant(const VariantSource& source) {
    RETURN_IF_ERROR(check_package_name("component", source.component));
    RETURN_IF_ERROR(check_package_name("variant", source.variant));
    PlannedVariant planned{
        &source, path_join(source.component, source.variant), source.session_options, {}};
    if (!folders_.insert(planned.folder).second) {
      return invalid_argument("component '", source.component, "' has two variants '",
                              source.variant, "'");
    }
    ASSIGN_OR_RETURN(auto model, FileMap::open(source.model));
    ASSIGN_OR_RETURN(const auto folder, Folder::open(path_folder(source.model)));
    ASSIGN_OR_RETURN(const auto names, files_of(source.model, model->bytes()));
    FileDigits weights;
    for (const std::string& name : names) {
      auto file = folder->open_beneath(name);
      RETURN_IF_ERROR_WHILE(file.status(), "'", source.model, "' reads the file '", name, "'");
      ASSIGN_OR_RETURN(PlannedFile one, plan_file(std::move(*file)));
      weights.emplace_back(name, one.digits);
      planned.files.emplace(name, std::move(one));
    }
    // Contexts are found beside the model only, and what was written with them stays with them.
    if (!weights.empty() && !has_context_nodes(model->bytes()) && !has_weights_folder(source)) {
      users_[asset_uri_of(weights)].push_back(variants_.size());
    }
    ASSIGN_OR_RETURN(PlannedFile one, plan_file(std::move(model)));
    if (!planned.files.emplace(path_file_name(source.model), std::move(one)).second) {
      return invalid_argument("'", source.model, "' names itself as a file of data");
    }
    variants_.push_back(std::move(planned));
    return {};
  }

  Status add_asset(const std::string& folder) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, files_beneath(folder));
    FileDigits digits;
    std::map<std::string, PlannedFile> files;
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(auto file, FileMap::open(path_join(folder, name)));
      ASSIGN_OR_RETURN(PlannedFile one, plan_file(std::move(file)));
      digits.emplace_back(name, one.digits);
      files.emplace(name, std::move(one));
    }
    assets_.emplace(asset_uri_of(digits), std::move(files));
    return {};
  }

  // Data that more than one variant has move to an asset.
  void share() {
    for (const auto& [uri, users] : users_) {
      if (users.size() < 2) continue;
      for (const size_t user : users) {
        PlannedVariant& variant = variants_[user];
        const auto model = variant.files.extract(path_file_name(variant.source->model));
        assets_.emplace(uri, std::move(variant.files));
        variant.files.clear();
        variant.files.emplace(model.key(), model.mapped());
        variant.session_options.emplace_back(kWeightsFolderOption, uri);
      }
    }
  }

  // Every file by its name beneath the root.
  std::map<std::string, const PlannedFile*> files() const {
    std::map<std::string, const PlannedFile*> all;
    for (const PlannedVariant& variant : variants_) {
      for (const auto& [name, file] : variant.files) all[path_join(variant.folder, name)] = &file;
    }
    for (const auto& [uri, files] : assets_) {
      const std::string folder = path_join("shared_assets", asset_folder_name(uri));
      for (const auto& [name, file] : files) all[path_join(folder, name)] = &file;
    }
    return all;
  }

  std::string manifest(const PackageSource& source) const;
  std::string report(const std::string& target) const;

 private:
  static bool has_weights_folder(const VariantSource& source) {
    return std::any_of(source.session_options.begin(), source.session_options.end(),
                       [](const auto& option) { return option.first == kWeightsFolderOption; });
  }
  void write_components(JsonWriter& json) const;

  std::vector<PlannedVariant> variants_;
  std::set<std::string> folders_;
  std::map<std::string, std::vector<size_t>> users_;  // of data, by the asset they would be
  std::map<std::string, std::map<std::string, PlannedFile>> assets_;  // by uri
};

void write_given_options(JsonWriter& json, std::string_view name, const OrderedOptions& options) {
  if (options.empty()) return;
  json.key(name).begin_object();
  for (const auto& [key, value] : options) json.field(key, value);
  json.end_object();
}

void write_variant(JsonWriter& json, const PlannedVariant& variant) {
  const VariantSource& source = *variant.source;
  json.key(source.variant).begin_object();
  json.field("variant_directory", variant.folder).field("ep", source.provider);
  if (source.device) json.field("device", *source.device);
  if (source.compatibility) json.field("compatibility_string", *source.compatibility);
  json.key("executor_info").begin_object().key("ort").begin_object();
  json.field("model_file", path_file_name(source.model));
  write_given_options(json, "session_options", variant.session_options);
  write_given_options(json, "provider_options", source.provider_options);
  json.end_object().end_object().end_object();
}

void PackagePlan::write_components(JsonWriter& json) const {
  std::set<std::string> written;
  json.key("components").begin_object();
  for (const PlannedVariant& first : variants_) {
    const std::string& component = first.source->component;
    if (!written.insert(component).second) continue;
    json.key(component).begin_object().key("variants").begin_object();
    for (const PlannedVariant& variant : variants_) {
      if (variant.source->component == component) write_variant(json, variant);
    }
    json.end_object().end_object();
  }
  json.end_object();
}

std::string PackagePlan::manifest(const PackageSource& source) const {
  JsonWriter json;
  json.begin_object().field("schema_version", "1.0");
  if (!source.name.empty()) json.field("package_name", source.name);
  if (!source.version.empty()) json.field("package_version", source.version);
  if (!source.description.empty()) json.field("description", source.description);
  write_components(json);
  json.key("additional_metadata").begin_object().key("ortc").begin_object();
  json.key("files").begin_object();
  for (const auto& [name, file] : files()) {
    // Assets say by their names what is in them.
    if (!name.starts_with("shared_assets/")) json.field(name, file->digits);
  }
  json.end_object().end_object().end_object().end_object();
  return json.text() + "\n";
}

std::string PackagePlan::report(const std::string& target) const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.package_write/1").field("root", target);
  json.key("files").begin_array();
  for (const auto& [name, file] : files()) {
    const uint64_t size = file->file->bytes().size();
    json.begin_object().field("path", path_join(target, name)).field("bytes", size).end_object();
  }
  json.end_array().key("shared_assets").begin_array();
  for (const auto& [uri, files] : assets_) json.value(uri);
  json.end_array().end_object();
  return json.text();
}

}  // namespace

Status check_package_name(std::string_view what, std::string_view name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (!name.empty() && name.front() != '.' && name.size() <= 128 &&
      name.find_first_not_of(kAllowed) == std::string_view::npos && name != "shared_assets" &&
      name != "manifest.json") {
    return {};
  }
  return invalid_argument("the name of a ", what, " is '", name,
                          "', expected up to 128 letters, digits, '.', '_' and '-', which is not ",
                          "a name of the package's own");
}

Result<std::string> write_package(const PackageSource& source, const std::string& target,
                                  bool link) {
  if (source.variants.empty()) return invalid_argument("a package needs a variant");
  PackagePlan plan;
  for (const VariantSource& variant : source.variants) {
    RETURN_IF_ERROR_WHILE(plan.add_variant(variant), "variant '", variant.variant,
                          "' of component '", variant.component, "'");
  }
  plan.share();
  for (const std::string& folder : source.asset_folders) {
    RETURN_IF_ERROR_WHILE(plan.add_asset(folder), "shared asset '", folder, "'");
  }
  ASSIGN_OR_RETURN(const auto staged, StagedFolder::create(target));
  for (const auto& [name, file] : plan.files()) {
    RETURN_IF_ERROR(link ? staged->link(name, file->file->path())
                         : staged->write(name, file->file->bytes()));
  }
  RETURN_IF_ERROR(staged->write("manifest.json", as_bytes(plan.manifest(source))));
  RETURN_IF_ERROR(staged->publish());
  return plan.report(target);
}

}  // namespace ortc
