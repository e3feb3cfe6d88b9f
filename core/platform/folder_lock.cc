// SPDX-License-Identifier: MIT
// FolderLock: flock() on the folder itself. The lock belongs to the open descriptor, so that two
// threads of one process exclude each other as two processes do.
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/staged_write.h"

namespace ortc {

Result<std::unique_ptr<FolderLock>> FolderLock::acquire(const std::string& folder) {
  const std::string path = folder_or_here(folder);
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    return fail("cannot open folder '", path, "' to lock it: ", errno_text(errno));
  }
  int locked;
  do {
    locked = flock(descriptor.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) return fail("cannot lock folder '", path, "': ", errno_text(errno));
  std::unique_ptr<FolderLock> lock(new FolderLock);
  lock->descriptor_ = descriptor.release();
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  // Said aloud, because a child process may still hold a copy of the descriptor.
  flock(descriptor_, LOCK_UN);
  close(descriptor_);
}

}  // namespace ortc
