// SPDX-License-Identifier: MIT
// Changing a folder's entries: see the header. Folders are held by descriptor while an entry of
// them changes, and opened component by component with no link followed.
#include "core/platform/folder_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

// A pointer, so that the library has nothing to construct when it is loaded.
constinit WriteOperationHook* write_operation_hook = nullptr;

constexpr int kFolderFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Calls visit(component) for the folders of a path beneath: "a/b/w.bin": "a", "b".
template <typename Visit>
Status each_folder(std::string_view path, Visit visit) {
  for (size_t slash; (slash = path.find('/')) != std::string_view::npos;) {
    const std::string component(path.substr(0, slash));
    path.remove_prefix(slash + 1);
    if (!is_plain_name(component)) {
      return invalid_argument("expected the path of a file beneath a folder, found the component '",
                              component, "'");
    }
    RETURN_IF_ERROR(visit(component));
  }
  return Status::ok();
}

Result<Descriptor> open_folder(const std::string& folder, int flags) {
  const std::string path = folder_or_here(folder);
  Descriptor descriptor(open(path.c_str(), flags | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) return system_failure("open folder", path, errno);
  return descriptor;
}

// The folder in which the last component of `path` stands.
Result<Descriptor> open_parent(const std::string& folder, const std::string& path, int flags) {
  ASSIGN_OR_RETURN(Descriptor parent, open_folder(folder, flags));
  RETURN_IF_ERROR(each_folder(path, [&](const std::string& component) -> Status {
    Descriptor next(openat(parent.get(), component.c_str(), flags | kFolderFlags));
    if (!next.is_open()) {
      return system_failure("open folder", path_join(folder, path_folder(path)), errno);
    }
    parent = std::move(next);
    return Status::ok();
  }));
  return parent;
}

// Both names of a rename, with their folders held.
struct Rename {
  Descriptor from_folder, to_folder;
  std::string from, to;
};

Result<Rename> prepare_rename(const std::string& folder, const std::string& from,
                              const std::string& to) {
  Rename rename;
  rename.from = from;
  rename.to = path_file_name(to);
  for (const std::string& name : {rename.from, rename.to}) {
    if (!is_plain_name(name)) {
      return invalid_argument("expected a plain file name, found '", name, "'");
    }
  }
  ASSIGN_OR_RETURN(rename.from_folder, open_folder(folder, O_PATH));
  ASSIGN_OR_RETURN(rename.to_folder, open_parent(folder, to, O_PATH));
  RETURN_IF_ERROR(write_operation("rename", path_join(folder_or_here(folder), from)));
  return rename;
}

// 0 or an errno, EEXIST when the name is taken. Some file systems cannot refuse to replace while
// they rename; most of those can refuse to link.
int rename_without_replacing(const Rename& rename) {
  const int from_folder = rename.from_folder.get(), to_folder = rename.to_folder.get();
  const char *from = rename.from.c_str(), *to = rename.to.c_str();
  if (syscall(SYS_renameat2, from_folder, from, to_folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL && errno != EPERM) return errno;
  if (linkat(from_folder, from, to_folder, to, 0) == 0) {
    return unlinkat(from_folder, from, 0) == 0 ? 0 : errno;
  }
  if (errno == EEXIST) return EEXIST;
  struct stat info;
  if (fstatat(to_folder, to, &info, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(from_folder, from, to_folder, to) == 0 ? 0 : errno;
}

Status rename_failed(const std::string& folder, const std::string& from, const std::string& to,
                     int error) {
  return fail("cannot rename '", path_join(folder_or_here(folder), from), "' to '", to,
              "': ", errno_text(error));
}

}  // namespace

void set_write_operation_hook(WriteOperationHook hook) {
  delete write_operation_hook;
  write_operation_hook = hook ? new WriteOperationHook(std::move(hook)) : nullptr;
}

Status write_operation(const char* operation, const std::string& path) {
  if (write_operation_hook == nullptr) return Status::ok();
  return (*write_operation_hook)(operation, path);
}

Status rename_in_folder(const std::string& folder, const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const Rename rename, prepare_rename(folder, from, to));
  if (renameat(rename.from_folder.get(), rename.from.c_str(), rename.to_folder.get(),
               rename.to.c_str()) == 0) {
    return Status::ok();
  }
  return rename_failed(folder, from, to, errno);
}

Result<bool> rename_to_free_name(const std::string& folder, const std::string& from,
                                 const std::string& to) {
  ASSIGN_OR_RETURN(const Rename rename, prepare_rename(folder, from, to));
  const int error = rename_without_replacing(rename);
  if (error == 0) return true;
  if (error == EEXIST) return false;
  return rename_failed(folder, from, to, error);
}

Status remove_in_folder(const std::string& folder, const std::string& name) {
  const std::string last = path_file_name(name);
  if (!is_plain_name(last)) {
    return invalid_argument("expected a plain file name, found '", last, "'");
  }
  const std::string path = path_join(folder_or_here(folder), name);
  const auto parent = open_parent(folder, name, O_PATH);
  if (!parent.is_ok()) return path_exists(path_folder(path)) ? parent.status() : Status::ok();
  RETURN_IF_ERROR(write_operation("remove", path));
  if (unlinkat(parent->get(), last.c_str(), 0) != 0 && errno != ENOENT) {
    return system_failure("remove", path, errno);
  }
  return Status::ok();
}

Status sync_folder(const std::string& folder, const std::string& beneath) {
  const std::string path = folder_or_here(path_join(folder, beneath));
  ASSIGN_OR_RETURN(const Descriptor descriptor,
                   open_parent(folder, beneath.empty() ? beneath : beneath + "/x", O_RDONLY));
  RETURN_IF_ERROR(write_operation("sync_folder", path));
  int synced;
  do {
    synced = fsync(descriptor.get());
  } while (synced != 0 && errno == EINTR);
  // EINVAL: a file system that keeps names without being asked, or cannot be asked.
  if (synced != 0 && errno != EINVAL) return system_failure("sync folder", path, errno);
  return Status::ok();
}

MadeFolders::~MadeFolders() {
  // Inner first. One that is not empty is somebody's.
  while (!paths_.empty()) {
    rmdir(paths_.back().c_str());
    paths_.pop_back();
  }
}

namespace {

// The folders of a path, from outside to inside.
class FolderWalk {
 public:
  static Result<FolderWalk> begin(const std::string& folder) {
    ASSIGN_OR_RETURN(Descriptor outermost, open_folder(folder, O_PATH));
    struct stat info;
    if (fstat(outermost.get(), &info) != 0) return system_failure("examine", folder, errno);
    return FolderWalk(folder_or_here(folder), std::move(outermost), info.st_dev);
  }

  // One further in; false when there is none of that name.
  Result<bool> enter(const std::string& component) {
    const std::string inner = path_join(path_, component);
    Descriptor next(openat(here_.get(), component.c_str(), O_PATH | kFolderFlags));
    if (!next.is_open() && errno == ENOENT) return false;
    if (!next.is_open()) return system_failure("open folder", inner, errno);
    struct stat info;
    if (fstat(next.get(), &info) != 0) return system_failure("examine", inner, errno);
    if (info.st_dev != device_) {
      return fail("cannot write into '", inner, "': it lies on another file system than '",
                  outermost_, "', and files of one set are renamed together");
    }
    here_ = std::move(next);
    path_ = inner;
    return true;
  }
  const Descriptor& here() const { return here_; }
  const std::string& path() const { return path_; }

 private:
  FolderWalk(std::string folder, Descriptor outermost, dev_t device)
      : outermost_(folder),
        path_(std::move(folder)),
        here_(std::move(outermost)),
        device_(device) {}

  std::string outermost_, path_;
  Descriptor here_;
  dev_t device_;
};

}  // namespace

Status MadeFolders::make(const std::string& folder, const std::string& path) {
  ASSIGN_OR_RETURN(FolderWalk walk, FolderWalk::begin(folder));
  return each_folder(path, [&](const std::string& component) -> Status {
    ASSIGN_OR_RETURN(bool stands, walk.enter(component));
    if (stands) return Status::ok();
    paths_.reserve(paths_.size() + 1);
    std::string made = path_join(walk.path(), component);
    RETURN_IF_ERROR(write_operation("make_folder", made));
    if (mkdirat(walk.here().get(), component.c_str(), 0755) == 0) {
      paths_.push_back(made);
    } else if (errno != EEXIST) {
      return system_failure("make folder", made, errno);
    }
    ASSIGN_OR_RETURN(stands, walk.enter(component));
    return stands ? Status::ok() : system_failure("open folder", made, ENOENT);
  });
}

Status MadeFolders::check(const std::string& folder, const std::string& path) {
  ASSIGN_OR_RETURN(FolderWalk walk, FolderWalk::begin(folder));
  bool stands = true;
  const auto enter = [&](const std::string& component) -> Status {
    if (!stands) return Status::ok();
    ASSIGN_OR_RETURN(stands, walk.enter(component));
    return Status::ok();
  };
  RETURN_IF_ERROR(each_folder(path, enter));
  if (faccessat(walk.here().get(), ".", W_OK | X_OK, AT_EACCESS) == 0) return Status::ok();
  return system_failure("write into", walk.path(), errno);
}

std::string folder_of_target(const std::string& path) { return folder_or_here(path_folder(path)); }

}  // namespace ortc
