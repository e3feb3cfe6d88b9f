// SPDX-License-Identifier: MIT
// NamedLock: flock() on a file that may be removed by who holds it. A lock on a file that has lost
// its name protects nothing, so whoever got one looks again whether the name still leads to it.
#include "core/platform/shared_folder/named_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/folder_changes.h"
#include "core/platform/shared_folder/lock_poll.h"

namespace ortc {
namespace {

Result<Descriptor> open_lock_file(const std::string& path) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(above_standard_streams(open(path.c_str(), flags)));
  if (file.is_open() || errno != ENOENT) {
    if (!file.is_open()) return fail("cannot open lock '", path, "': ", errno_text(errno));
    return file;
  }
  RETURN_IF_ERROR(write_operation("create", path));
  file = Descriptor(above_standard_streams(open(path.c_str(), flags | O_CREAT, 0600)));
  if (!file.is_open()) return fail("cannot create lock '", path, "': ", errno_text(errno));
  return file;
}

bool still_has_its_name(int descriptor, const std::string& path) {
  struct stat held, named;
  return fstat(descriptor, &held) == 0 && stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

off_t size_of(int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 ? info.st_size : 0;
}

}  // namespace

Result<std::unique_ptr<NamedLock>> NamedLock::acquire(const std::string& path,
                                                      const WaitLimits& limits) {
  std::unique_ptr<NamedLock> lock(new NamedLock);
  lock->path_ = path;
  LockPoll poll(limits);
  for (;;) {
    ASSIGN_OR_RETURN(Descriptor file, open_lock_file(path));
    const off_t failures = size_of(file.get());
    ASSIGN_OR_RETURN(const bool is_locked, poll.lock(file.get(), str_cat("'", path, "'")));
    if (!is_locked) return std::unique_ptr<NamedLock>();
    lock->has_waited_ = poll.has_waited();
    lock->failed_meanwhile_ |= lock->has_waited_ && size_of(file.get()) > failures;
    if (!still_has_its_name(file.get(), path)) continue;
    lock->descriptor_ = file.release();
    return lock;
  }
}

Result<std::unique_ptr<NamedLock>> NamedLock::try_acquire(const std::string& path) {
  WaitLimits limits;
  limits.deadline_ns = 0;
  return acquire(path, limits);
}

NamedLock::~NamedLock() {
  if (descriptor_ < 0) return;
  // Unlocked explicitly, because a child process may still hold a copy of the descriptor.
  flock(descriptor_, LOCK_UN);
  close(descriptor_);
}

void NamedLock::count_failure() {
  // When it cannot be counted, those who wait try for themselves.
  const off_t next = size_of(descriptor_) + 1;
  const int grown = ftruncate(descriptor_, next);
  static_cast<void>(grown);
}

void NamedLock::remove_file() {
  if (write_operation("remove", path_).is_ok()) unlink(path_.c_str());
}

}  // namespace ortc
