// SPDX-License-Identifier: MIT
// One thread for one piece of work besides those that compute.
#pragma once

#include <signal.h>

#include <functional>
#include <memory>

#include "core/platform/threads.h"

namespace ortc {

// Threads made while it lives answer to faults of their own code only; other signals are for the
// program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

class BackgroundThread {
 public:
  // Null when there is no thread to be had. `hooks`: who makes it; empty: the system. The work
  // should not throw; an exception ends it.
  static std::unique_ptr<BackgroundThread> start(const ThreadHooks& hooks,
                                                 std::function<void()> work);
  // Waits for the work; in a forked child, where no such thread is, it does not.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

 private:
  struct Impl;
  explicit BackgroundThread(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ortc
