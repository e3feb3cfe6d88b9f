// SPDX-License-Identifier: MIT
// Paths in packages: see the header.
#include "core/package/package_paths.h"

#include <algorithm>

#include "core/options/relative_name.h"
#include "core/platform/folder.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr std::string_view kUriPrefix = "sha256:";
constexpr std::string_view kFolderPrefix = "sha256-";
constexpr size_t kDigitCount = 64;

bool is_digits(std::string_view text) {
  return text.size() == kDigitCount &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool climbs(std::string_view path) {
  while (!path.empty()) {
    const size_t slash = std::min(path.find_first_of("/\\"), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

bool lies_in(const std::string& path, const std::string& folder) {
  if (path == folder || folder == "/") return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

Status check_text(std::string_view text) {
  if (text.empty()) return invalid_argument("a path is empty");
  if (text.find('\0') == std::string_view::npos) return {};
  return invalid_argument("a path has a zero byte");
}

Status check_stays(std::string_view text) {
  if (is_absolute_path(text)) {
    return invalid_argument("'", text, "' is absolute; expected a path inside the package");
  }
  if (climbs(text)) return invalid_argument("'", text, "' has '..', expected a path without");
  return {};
}

Status check_exists(const std::string& path, MustExist must_exist) {
  if (must_exist == MustExist::kNo || path_exists(path)) return {};
  return make_status(Code::kNoSuchFile, "'", path, "' is not there");
}

}  // namespace

bool is_asset_uri(std::string_view text) {
  return text.starts_with(kUriPrefix) && is_digits(text.substr(kUriPrefix.size()));
}

std::optional<AssetReference> split_asset_reference(std::string_view text) {
  const size_t size = kUriPrefix.size() + kDigitCount;
  if (!is_asset_uri(text.substr(0, size))) return std::nullopt;
  if (text.size() == size) return AssetReference{std::string(text), {}};
  if (text[size] != '/') return std::nullopt;
  return AssetReference{std::string(text.substr(0, size)), std::string(text.substr(size + 1))};
}

std::string asset_folder_name(std::string_view uri) {
  return str_cat(kFolderPrefix, uri.substr(kUriPrefix.size()));
}

std::string asset_uri_of(std::string_view folder_name) {
  if (!folder_name.starts_with(kFolderPrefix)) return {};
  const std::string_view digits = folder_name.substr(kFolderPrefix.size());
  return is_digits(digits) ? str_cat(kUriPrefix, digits) : std::string();
}

Result<std::string> PackagePaths::resolve_inside(const std::string& folder, std::string_view text,
                                                 MustExist must_exist) const {
  RETURN_IF_ERROR(check_text(text));
  RETURN_IF_ERROR(check_stays(text));
  const std::string path = real_path_to_be(path_join(folder, text));
  if (!lies_in(path, real_path(folder))) {
    return invalid_argument("'", text, "' leads out of the package, to '", path, "'");
  }
  RETURN_IF_ERROR(check_exists(path, must_exist));
  return path;
}

Result<std::string> PackagePaths::resolve(const std::string& base, std::string_view text,
                                          MustExist must_exist) const {
  RETURN_IF_ERROR(check_text(text));
  if (layout == PackageLayout::kPortable) RETURN_IF_ERROR(check_stays(text));
  const std::string& from = base.empty() ? root : base;
  const std::string path =
      real_path_to_be(text.starts_with('/') ? std::string(text) : path_join(from, text));
  if (layout == PackageLayout::kPortable && !lies_in(path, root)) {
    return invalid_argument("'", text, "' leads out of the package, to '", path, "'");
  }
  RETURN_IF_ERROR(check_exists(path, must_exist));
  return path;
}

Result<std::string> PackagePaths::read_text(const std::string& path, size_t bytes_max) const {
  std::shared_ptr<const FileMap> file;
  if (layout == PackageLayout::kPortable) {
    ASSIGN_OR_RETURN(const auto folder, Folder::open(root));
    ASSIGN_OR_RETURN(file, folder->open_beneath(shown(path)));
  } else {
    ASSIGN_OR_RETURN(file, FileMap::open(path));
  }
  if (file->bytes().size() > bytes_max) {
    return invalid_graph("'", shown(path), "' has ", file->bytes().size(),
                         " bytes, expected at most ", bytes_max);
  }
  return std::string(as_text(file->bytes()));
}

std::string PackagePaths::shown(const std::string& path) const {
  return path != root && lies_in(path, root) ? path.substr(root == "/" ? 1 : root.size() + 1)
                                             : path;
}

}  // namespace ortc
