// SPDX-License-Identifier: MIT
// Locks on folders, which writers of one folder take one after another.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/platform/wait_limits.h"

namespace ortc {

// An exclusive lock on a folder (a lock on the folder's own descriptor: no file is made); given up
// by the destructor or by the end of the process.
class FolderLock {
 public:
  // Waits until it is free, within the limits: FAIL after the deadline.
  static Result<std::unique_ptr<FolderLock>> acquire(const std::string& folder,
                                                     const WaitLimits& limits = {});
  ~FolderLock();
  // Removes a file of the folder (plain name) for good; false when that cannot be had. Allocates
  // nothing.
  bool remove_and_sync(const std::string& name) const;
  // The same, but it need not last.
  bool remove(const std::string& name) const;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  FolderLock() = default;
  int descriptor_ = -1;
};

}  // namespace ortc
