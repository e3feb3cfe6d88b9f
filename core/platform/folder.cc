// SPDX-License-Identifier: MIT
// Folder: untrusted names opened beneath a folder.
//
// A name is first opened beneath the folder by the kernel, links that stay beneath included. A name
// that leads through any other link is resolved by its text, and what comes out, when it lies in
// one of the allowed folders, is opened beneath that folder's descriptor with no link followed at
// all: the text only chooses, the descriptor decides.
#include "core/platform/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>
#include <span>
#include <vector>

#include "core/base/ascii.h"
#include "core/platform/descriptor.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Calls visit(component) for "a//b/./c": "a", "b", "c". False as soon as visit() is.
template <typename Visit>
bool each_component(std::string_view name, Visit visit) {
  while (!name.empty()) {
    const size_t slash = name.find('/');
    const std::string_view component = name.substr(0, slash);
    name = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
    if (component.empty() || component == ".") continue;
    if (!visit(component)) return false;
  }
  return true;
}

// A folder in which the target of a link may lie.
struct LinkRoot {
  int descriptor;
  std::string real_path;
};

// What is wrong with the text of the name; empty when nothing is.
std::string_view fault_of_name(std::string_view name) {
  if (name.empty()) return "an empty one";
  if (name.find('\0') != std::string_view::npos) return "one with a zero byte in it";
  if (name.size() >= PATH_MAX) return "one that is too long";
  if (name[0] == '/' || name[0] == '\\') return "an absolute one";
  if (name.size() >= 2 && is_ascii_letter(name[0]) && name[1] == ':')
    return "one with a drive letter";
  if (leaves_folder(name)) return "one that leaves the folder by '..'";
  return {};
}

// What `path` is called inside `folder`, both real paths; nothing when it lies elsewhere.
std::optional<std::string> name_inside(const std::string& path, const std::string& folder) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  if (path.size() <= prefix.size() || !path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

// One component. A link gives ELOOP, also where the kernel would say that it is not a directory.
OpenedFile open_component(int parent, std::string_view component, int flags) {
  const std::string name(component);
  const int opened = openat(parent, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  if (opened >= 0) return {Descriptor(opened), 0};
  const int error = errno;
  struct stat info;
  const bool is_link = error == ENOTDIR &&
                       fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISLNK(info.st_mode);
  return {Descriptor(), is_link ? ELOOP : error};
}

}  // namespace

// Component by component, with no link followed; ".." goes back to the folder it came from.
OpenedFile open_by_components(int folder, std::string_view name) {
  std::vector<std::string_view> components;
  each_component(name, [&](std::string_view component) {
    components.push_back(component);
    return true;
  });
  if (components.empty() || components.back() == "..") return {Descriptor(), EISDIR};
  std::vector<Descriptor> folders;
  const auto parent = [&] { return folders.empty() ? folder : folders.back().get(); };
  for (size_t i = 0; i + 1 < components.size(); ++i) {
    if (components[i] == "..") {
      if (folders.empty()) return {Descriptor(), EXDEV};
      folders.pop_back();
      continue;
    }
    OpenedFile next = open_component(parent(), components[i], O_PATH | O_DIRECTORY);
    if (!next.descriptor.is_open()) return next;
    folders.push_back(std::move(next.descriptor));
  }
  if (name.ends_with(components.back())) {
    return open_component(parent(), components.back(), kReadFlags);
  }
  // A slash at the end: only a folder has such a name.
  OpenedFile last = open_component(parent(), components.back(), O_PATH | O_DIRECTORY);
  return {Descriptor(), last.descriptor.is_open() ? EISDIR : last.error};
}

OpenedFile open_beneath_descriptor(int folder, const std::string& name, Links links) {
  open_how how{};
  how.flags = kReadFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::kRefuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  // EAGAIN: something on the way was renamed meanwhile; the kernel asks to try again.
  int error = EAGAIN;
  for (int attempt = 0; attempt < 100 && (error == EAGAIN || error == EINTR); ++attempt) {
    const long opened = syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how);
    if (opened >= 0) return {Descriptor(static_cast<int>(opened)), 0};
    error = errno;
  }
  // An old kernel, or a sandbox that does not know the call.
  if (error == ENOSYS || error == EPERM) return open_by_components(folder, name);
  return {Descriptor(), error};
}

// What the system lacks, or keeps from this user; it says nothing of what the name leads to.
static bool is_shortage(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
    case EACCES:
    case EPERM:
      return true;
    default:
      return false;
  }
}

static void say(bool* out_is_shortage, bool is_shortage) {
  if (out_is_shortage != nullptr) *out_is_shortage = is_shortage;
}

Result<std::shared_ptr<const Folder>> Folder::open(const std::string& path, bool* out_is_shortage) {
  say(out_is_shortage, false);
  if (path.find('\0') != std::string::npos) {
    return fail("expected a path of a folder, found one with a zero byte in it");
  }
  const std::string opened_path = folder_or_here(path);
  const int descriptor = ::open(opened_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    say(out_is_shortage, is_shortage(error));
    return make_status(error == ENOENT ? Code::kNoSuchFile : Code::kFail, "cannot open folder '",
                       opened_path, "': ", errno_text(error));
  }
  const std::shared_ptr<Folder> folder(new Folder);
  folder->descriptor_ = descriptor;
  folder->path_ = path;
  return std::shared_ptr<const Folder>(folder);
}

// Of the folder that is held, wherever the current one is by now; without /proc what its path says.
std::string Folder::real_path() const {
  const std::string held = str_cat("/proc/self/fd/", descriptor_);
  const std::string real = ortc::real_path(held);
  return real != held ? real : ortc::real_path(folder_or_here(path_));
}

Folder::~Folder() {
  if (descriptor_ >= 0) close(descriptor_);
}

namespace {

// A name that leads through a link which the first attempt did not follow.
Result<OpenedFile> open_through_link(const std::string& name, std::span<const LinkRoot> roots) {
  const std::string& folder = roots[0].real_path;
  char* resolved = realpath(path_join(folder, name).c_str(), nullptr);
  if (resolved == nullptr) {
    return fail("expected '", name, "' in folder '", folder,
                "' to lead to a file, found a link that leads nowhere: ", errno_text(errno));
  }
  const std::string target = resolved;
  free(resolved);
  for (const LinkRoot& root : roots) {
    const auto inside = name_inside(target, root.real_path);
    if (!inside) continue;
    return open_beneath_descriptor(root.descriptor, *inside, Links::kRefuse);
  }
  return fail("expected '", name, "' to stay in folder '", folder, "'",
              roots.size() > 1 ? " or in '" : "", roots.size() > 1 ? roots[1].real_path : "",
              roots.size() > 1 ? "'" : "", ", found a link that leads to '", target, "'");
}

}  // namespace

bool leaves_folder(std::string_view name) {
  int64_t depth = 0;
  return !each_component(name, [&](std::string_view component) {
    depth += component == ".." ? -1 : 1;
    return depth >= 0;
  });
}

Result<std::shared_ptr<const FileMap>> Folder::open_beneath(std::string_view name, Access access,
                                                            const Folder* also,
                                                            bool* out_is_shortage) const {
  say(out_is_shortage, false);
  if (const std::string_view fault = fault_of_name(name); !fault.empty()) {
    return fail("expected a relative name of a file inside folder '", folder_or_here(path_),
                "', found ", fault, ": '", name, "'");
  }
  const std::string path(name);
  OpenedFile file = open_beneath_descriptor(descriptor_, path, Links::kFollowInside);
  if (file.error == ENOENT && also != nullptr) {
    OpenedFile beside_target =
        open_beneath_descriptor(also->descriptor_, path, Links::kFollowInside);
    if (beside_target.descriptor.is_open()) file = std::move(beside_target);
  }
  if (file.error == EXDEV || file.error == ELOOP) {
    std::vector<LinkRoot> roots{{descriptor_, real_path()}};
    if (also != nullptr) roots.push_back({also->descriptor_, also->real_path()});
    ASSIGN_OR_RETURN(file, open_through_link(path, roots));
  }
  if (!file.descriptor.is_open()) {
    say(out_is_shortage, is_shortage(file.error));
    return fail("cannot open file '", name, "' in folder '", folder_or_here(path_),
                "': ", errno_text(file.error));
  }
  const std::string full_path = path_join(path_, name);
  ASSIGN_OR_RETURN(const FileIdentity identity, identity_of(file.descriptor.get(), full_path));
  auto map =
      FileMapMaker::shared_from_descriptor(file.descriptor.get(), identity, full_path, access);
  say(out_is_shortage, !map.is_ok());
  return map;
}

}  // namespace ortc
