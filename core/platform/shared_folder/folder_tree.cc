// SPDX-License-Identifier: MIT
// Whole folders: see the header. Entries are reached through the descriptor of their folder, so
// that a folder which somebody replaces by a link meanwhile leads nowhere else.
#include "core/platform/shared_folder/folder_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/descriptor.h"
#include "core/platform/folder_changes.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr int kFolderDepthMax = 16;

// Calls visit(descriptor of the folder, name, what it is) for every entry; a failure ends it.
template <typename Visit>
Status each_entry(int parent, const std::string& name, const std::string& path, Visit visit) {
  const int opened = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 && errno == ENOENT) return Status::ok();
  if (opened < 0) return fail("cannot open folder '", path, "': ", errno_text(errno));
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(opened), closedir);
  if (folder == nullptr) {
    const int error = errno;
    close(opened);
    return fail("cannot list folder '", path, "': ", errno_text(error));
  }
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view entry_name = entry->d_name;
    if (entry_name == "." || entry_name == "..") continue;
    struct stat info;
    if (fstatat(opened, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    RETURN_IF_ERROR(visit(opened, std::string(entry_name), info));
  }
  return Status::ok();
}

Status remove_beneath(int parent, const std::string& name, const std::string& path, int depth) {
  if (depth > kFolderDepthMax) {
    return fail("cannot remove '", path, "': folders are nested deeper than ", kFolderDepthMax);
  }
  RETURN_IF_ERROR(
      each_entry(parent, name, path,
                 [&](int folder, const std::string& entry, const struct stat& info) -> Status {
                   const std::string entry_path = path_join(path, entry);
                   if (S_ISDIR(info.st_mode))
                     return remove_beneath(folder, entry, entry_path, depth + 1);
                   RETURN_IF_ERROR(write_operation("remove", entry_path));
                   if (unlinkat(folder, entry.c_str(), 0) == 0 || errno == ENOENT)
                     return Status::ok();
                   return fail("cannot remove '", entry_path, "': ", errno_text(errno));
                 }));
  RETURN_IF_ERROR(write_operation("remove", path));
  if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return Status::ok();
  return fail("cannot remove folder '", path, "': ", errno_text(errno));
}

uint64_t bytes_beneath(int parent, const std::string& name, int depth) {
  uint64_t total = 0;
  if (depth > kFolderDepthMax) return total;
  (void)each_entry(parent, name, name,
                   [&](int folder, const std::string& entry, const struct stat& info) -> Status {
                     total += S_ISDIR(info.st_mode) ? bytes_beneath(folder, entry, depth + 1)
                                                    : static_cast<uint64_t>(info.st_size);
                     return Status::ok();
                   });
  return total;
}

}  // namespace

Status make_folders(const std::string& path) {
  if (path.empty() || path_is_directory(path)) return Status::ok();
  RETURN_IF_ERROR(make_folders(path_folder(path)));
  RETURN_IF_ERROR(write_operation("make_folder", path));
  if (mkdir(path.c_str(), 0700) == 0 || (errno == EEXIST && path_is_directory(path))) {
    return Status::ok();
  }
  return fail("cannot make folder '", path, "': ", errno_text(errno));
}

Status remove_tree(const std::string& path) { return remove_beneath(AT_FDCWD, path, path, 0); }

uint64_t tree_bytes(const std::string& path) { return bytes_beneath(AT_FDCWD, path, 0); }

uint64_t free_bytes(const std::string& path) {
  struct statvfs info;
  if (statvfs(path.c_str(), &info) != 0) return UINT64_MAX;
  return checked_mul<uint64_t>(info.f_bavail, info.f_frsize).value_or(UINT64_MAX);
}

}  // namespace ortc
