// SPDX-License-Identifier: MIT
// Folders that appear as a whole: see the header.
#include "core/platform/shared_folder/staged_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr mode_t kFolderMode = 0755;

Status is_taken(const std::string& path) {
  return fail("'", path, "' exists already; a package is written to a new folder");
}

}  // namespace

StagedFolder::StagedFolder(std::string parent, std::string name, std::string staged_name)
    : parent_(std::move(parent)),
      name_(std::move(name)),
      staged_name_(std::move(staged_name)),
      path_(path_join(parent_, staged_name_)) {}

StagedFolder::~StagedFolder() {
  folders_.keep();
  if (is_published_) return;
  try {
    (void)remove_tree(path_);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // Nobody to tell; a folder that stays is found by its name.
  }
}

Result<std::unique_ptr<StagedFolder>> StagedFolder::create(const std::string& target) {
  const size_t end = target.find_last_not_of('/');
  const std::string place = target.substr(0, end == std::string::npos ? 0 : end + 1);
  const std::string parent = folder_of_target(place), name = path_file_name(place);
  if (!is_plain_name(name)) {
    return invalid_argument("expected the path of a folder to be made, found '", target, "'");
  }
  if (path_exists(place) || path_is_symlink(place)) return is_taken(place);
  std::string staged = path_join(parent, str_cat(".", name, ".XXXXXX"));
  RETURN_IF_ERROR(write_operation("make_folder", staged));
  if (mkdtemp(staged.data()) == nullptr) {
    return fail("cannot make a folder in '", parent, "': ", errno_text(errno));
  }
  std::unique_ptr<StagedFolder> folder(new StagedFolder(parent, name, path_file_name(staged)));
  if (chmod(staged.c_str(), kFolderMode) != 0) {
    return fail("cannot open '", staged, "' to others: ", errno_text(errno));
  }
  return folder;
}

Status StagedFolder::make_folder_of(const std::string& name) { return folders_.make(path_, name); }

Status StagedFolder::write(const std::string& name, Bytes bytes) {
  RETURN_IF_ERROR(make_folder_of(name));
  const std::string folder = path_join(path_, path_folder(name));
  ASSIGN_OR_RETURN(const auto file, StagedFile::create(folder, path_file_name(name)));
  RETURN_IF_ERROR(file->write(bytes));
  RETURN_IF_ERROR(file->sync_and_close());
  RETURN_IF_ERROR(rename_in_folder(folder, file->staged_name(), path_file_name(name)));
  file->release();
  return sync_folder(folder);
}

Status StagedFolder::link(const std::string& name, const std::string& path) {
  RETURN_IF_ERROR(make_folder_of(name));
  const std::string target = path_join(path_, name);
  RETURN_IF_ERROR(write_operation("link", target));
  if (::link(real_path(path).c_str(), target.c_str()) == 0) {
    return sync_folder(path_join(path_, path_folder(name)));
  }
  ASSIGN_OR_RETURN(const auto file, FileMap::open(path));
  return write(name, file->bytes());
}

Status StagedFolder::publish() {
  RETURN_IF_ERROR(sync_folder(path_));
  ASSIGN_OR_RETURN(const bool is_free, rename_to_free_name(parent_, staged_name_, name_));
  if (!is_free) return is_taken(path_join(parent_, name_));
  is_published_ = true;
  return sync_folder(parent_);
}

}  // namespace ortc
