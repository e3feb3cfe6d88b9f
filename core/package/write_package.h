// SPDX-License-Identifier: MIT
// Writing packages: models and the files they name, each variant in a folder of its own, and a
// manifest. External data that several variants have alike are stored once, as a shared asset.
// Everything appears at once or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/package/package.h"

namespace ortc {

struct VariantSource {
  std::string component, variant;
  std::string model;  // a path; files that the model names are found beside it
  std::string provider;
  std::optional<std::string> device, compatibility;
  OrderedOptions session_options, provider_options;
};

struct PackageSource {
  std::string name, version, description;  // "": not in the manifest
  std::vector<VariantSource> variants;     // in the order of the manifest
  std::vector<std::string> asset_folders;
};

// A name of a component or a variant becomes a folder: letters, digits, '.', '_' and '-'.
Status check_package_name(std::string_view what, std::string_view name);

// `target` is a folder that is not there yet. With `link`, files get a second name instead of being
// copied where that can be; they must not be changed in place then. Gives a report:
// {"schema":"ortc.package_write/1","root":...,"files":[{"path":...,"bytes":...}],"shared_assets":
// [...]}. FAIL and NO_SUCHFILE name the file, INVALID_ARGUMENT what does not go together.
Result<std::string> write_package(const PackageSource& source, const std::string& target,
                                  bool link);

}  // namespace ortc
