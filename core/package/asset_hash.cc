// SPDX-License-Identifier: MIT
// Names of shared assets: see the header.
#include "core/package/asset_hash.h"

#include <algorithm>

#include "core/base/sha256.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr size_t kFilesMax = 100'000;
constexpr size_t kDepthMax = 64;

Status collect(const std::string& root, const std::string& beneath, size_t depth,
               std::vector<std::string>& out) {
  if (depth > kDepthMax) {
    return invalid_graph("folders of '", root, "' are more than ", kDepthMax, " deep");
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list_folder(path_join(root, beneath)));
  for (const std::string& plain : names) {
    const std::string name = path_join(beneath, plain);
    const std::string path = path_join(root, name);
    if (path_is_symlink(path)) {
      return invalid_graph("'", path, "' is a link; a shared asset has files and folders only");
    }
    if (path_is_directory(path)) {
      RETURN_IF_ERROR(collect(root, name, depth + 1, out));
      continue;
    }
    if (out.size() == kFilesMax) {
      return invalid_graph("'", root, "' has more than ", kFilesMax, " files");
    }
    out.push_back(name);
  }
  return {};
}

}  // namespace

Result<std::string> sha256_of_file(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, FileMap::open(path));
  return sha256_hex(file->bytes());
}

Result<std::vector<std::string>> files_beneath(const std::string& folder) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(collect(folder, {}, 0, names));
  std::sort(names.begin(), names.end());
  return names;
}

std::string asset_uri_of(const FileDigits& files) {
  Sha256 hash;
  for (const auto& [name, digits] : files) hash.add(as_bytes(str_cat(digits, "  ", name, "\n")));
  return str_cat("sha256:", hash.finish());
}

Result<std::string> asset_uri_of_folder(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files_beneath(folder));
  FileDigits files;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::string digits, sha256_of_file(path_join(folder, name)));
    files.emplace_back(name, std::move(digits));
  }
  return asset_uri_of(files);
}

}  // namespace ortc
