// SPDX-License-Identifier: MIT
// An exclusive lock among processes, and among the threads of one, that is called after a file. The
// kernel gives it up with the process that holds it, however that ends.
//
// The file's size counts the failures of those who held the lock: who has waited can tell that
// nothing came of the work it waited for. Growing an empty file takes no room on the disk.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/platform/wait_limits.h"

namespace ortc {

class NamedLock {
 public:
  // Makes the file when it is missing; null when another owner has the lock until the deadline has
  // passed. A failure of limits.go_on() is given back as it is.
  static Result<std::unique_ptr<NamedLock>> acquire(const std::string& path,
                                                    const WaitLimits& limits);
  // The same, without waiting.
  static Result<std::unique_ptr<NamedLock>> try_acquire(const std::string& path);
  ~NamedLock();
  NamedLock(const NamedLock&) = delete;
  NamedLock& operator=(const NamedLock&) = delete;

  bool has_waited() const { return has_waited_; }
  // An owner that held the lock while this one waited for it has counted a failure.
  bool failed_meanwhile() const { return failed_meanwhile_; }
  void count_failure();
  // The file is needed no more; those that wait for it begin again with a new one.
  void remove_file();

 private:
  NamedLock() = default;
  std::string path_;
  int descriptor_ = -1;
  bool has_waited_ = false, failed_meanwhile_ = false;
};

}  // namespace ortc
