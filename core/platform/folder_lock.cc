// SPDX-License-Identifier: MIT
// FolderLock: flock() on the folder itself. The lock belongs to the open descriptor, so that two
// threads of one process exclude each other as two processes do.
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "core/platform/clock.h"
#include "core/platform/descriptor.h"
#include "core/platform/folder_changes.h"

namespace ortc {
namespace {

constexpr int64_t kMillisecondNs = 1000 * 1000;

bool waits_for_ever(const WaitLimits& limits) {
  return !limits.go_on && limits.deadline_ns == INT64_MAX;
}

// Asks for the lock until it is given: somebody who may be stopped cannot sleep in the kernel.
Status poll_lock(int descriptor, const std::string& path, const WaitLimits& limits) {
  for (int64_t pause_ns = kMillisecondNs;; pause_ns = std::min(2 * pause_ns, 20 * kMillisecondNs)) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return Status::ok();
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail("cannot lock folder '", path, "': ", errno_text(errno));
    }
    RETURN_IF_ERROR(limits.check());
    if (now_ns() >= limits.deadline_ns) {
      return fail("cannot lock folder '", path,
                  "': another writer has held its lock until the deadline passed");
    }
    const timespec pause{0, static_cast<long>(pause_ns)};
    nanosleep(&pause, nullptr);
  }
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
    RETURN_IF_ERROR(poll_lock(descriptor.get(), path, limits));
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
