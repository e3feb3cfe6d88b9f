// SPDX-License-Identifier: MIT
// Paths: text operations, and questions to the file system that open nothing for long.
#include "core/platform/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/platform/descriptor.h"

namespace ortc {

bool path_exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool path_is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool path_is_symlink(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> resolved(realpath(path.c_str(), nullptr), free);
  return resolved != nullptr ? std::string(resolved.get()) : path;
}

std::string real_path_to_be(const std::string& path) {
  // What is not there, the innermost last.
  std::vector<std::string> missing;
  std::string known = path;
  while (!known.empty() && known != "/" && !path_exists(known)) {
    missing.push_back(path_file_name(known));
    known = path_folder(known);
  }
  known = real_path(folder_or_here(known));
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    if (name->empty() || *name == ".") continue;
    known = *name == ".." ? path_folder(known) : path_join(known, *name);
  }
  return known;
}

std::string link_target(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  target.resize(static_cast<size_t>(size));
  return target.front() == '/' ? target : path_join(path_folder(path), target);
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  const std::string place = folder_or_here(path);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(place.c_str()), closedir);
  if (folder == nullptr) {
    const int error = errno;
    return make_status(error == ENOENT ? Code::kNoSuchFile : Code::kFail, "cannot list folder '",
                       place, "': ", errno_text(error));
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  if (error != 0) return fail("cannot list folder '", place, "': ", errno_text(error));
  std::sort(names.begin(), names.end());
  return names;
}

std::string folder_or_here(const std::string& path) { return path.empty() ? "." : path; }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

std::string path_folder(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const size_t last = path.substr(0, slash).find_last_not_of('/');
  if (last == std::string_view::npos) return "/";
  return std::string(path.substr(0, last + 1));
}

namespace {

std::string_view file_name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Where the extension begins; the end of `name` when there is none. A leading dot begins no
// extension.
size_t extension_offset(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name == "..") return name.size();
  return dot;
}

}  // namespace

std::string path_file_name(std::string_view path) { return std::string(file_name_of(path)); }

std::string path_extension(std::string_view path) {
  const std::string_view name = file_name_of(path);
  return std::string(name.substr(extension_offset(name)));
}

std::string path_stem(std::string_view path) {
  const std::string_view name = file_name_of(path);
  return std::string(name.substr(0, extension_offset(name)));
}

std::string path_join(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  if (name.empty()) return std::string(folder);
  return str_cat(folder, folder.back() == '/' ? "" : "/", name);
}

}  // namespace ortc
