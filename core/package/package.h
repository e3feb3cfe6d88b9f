// SPDX-License-Identifier: MIT
// A model package as it was read: a folder with a manifest.json, whose components (logical models)
// have variants, each a model for one provider.
//
//   manifest.json      components, layout, places of shared assets
//   <component>/component.json          where the manifest names a folder or a file
//   <component>/<variant>/...           files of the variant
//   shared_assets/sha256-<64 digits>/   folders that variants share, named by what is in them
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/package/package_paths.h"

namespace ortc {

using OrderedOptions = std::vector<std::pair<std::string, std::string>>;

struct PackageVariant {
  std::string name;
  std::string folder;  // "": there is none
  std::optional<std::string> provider, device, compatibility;
  std::string model_file;  // as it is written; "": it has no model for this runtime
  std::string model_path;  // the same, resolved; need not be there
  OrderedOptions session_options, provider_options;  // paths among them are resolved
};

struct PackageComponent {
  std::string name;
  std::vector<PackageVariant> variants;  // in the order of the manifest

  const PackageVariant* find(std::string_view variant) const;  // null: none
};

struct SharedAsset {
  std::string uri;   // "sha256:<64 digits>"
  std::string path;  // need not be there
};

struct Package {
  PackagePaths paths;
  int64_t schema_major = 0, schema_minor = 0;
  std::string name, version, description;
  std::vector<PackageComponent> components;
  std::vector<SharedAsset> assets;  // those the manifest names, then those that were found
  OrderedOptions file_hashes;  // names beneath the root and SHA-256, where its writer said them

  // INVALID_ARGUMENT names those there are.
  Result<const PackageComponent*> component(std::string_view component_name) const;
  Result<const PackageVariant*> variant(std::string_view component_name,
                                        std::string_view variant_name) const;
  // "sha256:<digits>", "sha256:<digits>/<name inside>", or a path from `base` ("": the root). As
  // PackagePaths::resolve(); NOT_FOUND for an asset that the package does not have.
  Result<std::string> resolve(const std::string& base, std::string_view reference,
                              MustExist must_exist) const;
};

// Whether the value of a session option is a path, which is resolved as other paths of a package.
bool is_path_option(std::string_view key);

// Refuses a session option with which making or using a session would write: what is opened is not
// trusted, whatever its layout. INVALID_ARGUMENT names it.
Status check_writes_nothing(std::string_view key, std::string_view value);

// NO_SUCHFILE without folder or manifest, INVALID_ARGUMENT when `root` is no folder, INVALID_GRAPH
// says what is wrong and where, NOT_IMPLEMENTED for a schema of a later major version.
Result<std::shared_ptr<const Package>> read_package(const std::string& root);

}  // namespace ortc
