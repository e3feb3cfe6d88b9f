// SPDX-License-Identifier: MIT
// FolderLock: flock() on the folder itself. The lock belongs to the open descriptor, so that two
// threads of one process exclude each other as two processes do.
#include "core/platform/shared_folder/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/folder.h"
#include "core/platform/shared_folder/lock_poll.h"

namespace ortc {
namespace {

bool waits_for_ever(const WaitLimits& limits) {
  return !limits.go_on && limits.deadline_ns == INT64_MAX;
}

}  // namespace

Result<std::unique_ptr<FolderLock>> FolderLock::acquire(const std::string& folder,
                                                        const WaitLimits& limits) {
  const std::string path = folder_or_here(folder);
  std::unique_ptr<FolderLock> lock(new FolderLock);
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    return fail("cannot open folder '", path, "' to lock it: ", errno_text(errno));
  }
  if (!waits_for_ever(limits)) {
    ASSIGN_OR_RETURN(const bool is_locked,
                     LockPoll(limits).lock(descriptor.get(), str_cat("folder '", path, "'")));
    if (!is_locked) {
      return fail("cannot lock folder '", path,
                  "': another writer has held its lock until the deadline passed");
    }
    lock->descriptor_ = descriptor.release();
    return lock;
  }
  int locked;
  do {
    locked = flock(descriptor.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) return fail("cannot lock folder '", path, "': ", errno_text(errno));
  lock->descriptor_ = descriptor.release();
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  // Unlocked explicitly, because a child process may still hold a copy of the descriptor.
  flock(descriptor_, LOCK_UN);
  close(descriptor_);
}

bool FolderLock::remove(const std::string& name) const {
  return unlinkat(descriptor_, name.c_str(), 0) == 0 || errno == ENOENT;
}

bool FolderLock::remove_and_sync(const std::string& name) const {
  if (!remove(name)) return false;
  int synced;
  do {
    synced = fsync(descriptor_);
  } while (synced != 0 && errno == EINTR);
  return synced == 0 || errno == EINVAL;  // EINVAL: a file system that cannot be asked
}

}  // namespace ortc
