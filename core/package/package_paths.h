// SPDX-License-Identifier: MIT
// Paths and references in packages. A portable package names only what lies beneath its root, links
// resolved; an installed one may name anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

enum class PackageLayout : uint8_t { kPortable, kInstalled };
enum class MustExist : bool { kNo, kYes };

// "sha256:<64 digits>" with "/<tail>" perhaps.
struct AssetReference {
  std::string uri, tail;
};
std::optional<AssetReference> split_asset_reference(std::string_view text);
bool is_asset_uri(std::string_view text);
// The name of its folder, "sha256-<64 digits>", and back; the latter "" when it is no such name.
std::string asset_folder_name(std::string_view uri);
std::string asset_uri_of(std::string_view folder_name);

struct PackagePaths {
  std::string root;  // real
  PackageLayout layout = PackageLayout::kPortable;

  // The real path of `text` as seen from `base` ("": the root). INVALID_ARGUMENT for a text that no
  // package, or none of this layout, may have, and for what lies outside of a portable one;
  // NO_SUCHFILE.
  Result<std::string> resolve(const std::string& base, std::string_view text,
                              MustExist must_exist) const;
  // The same beneath `folder`, whatever the layout.
  Result<std::string> resolve_inside(const std::string& folder, std::string_view text,
                                     MustExist must_exist) const;
  // The bytes of a small file at a path that resolve() gave, read and not mapped. INVALID_GRAPH for
  // one that is larger than the bound.
  Result<std::string> read_text(const std::string& path, size_t bytes_max) const;
  // For messages: the part of `path` beneath the root.
  std::string shown(const std::string& path) const;
};

}  // namespace ortc
