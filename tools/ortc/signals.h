// SPDX-License-Identifier: MIT
// Ctrl-C, SIGTERM and SIGHUP, all heard alike. While something is under way that can be cancelled,
// the first signal cancels it: the library cleans up and the command ends with 128 and the signal's
// number. Otherwise, and at the second signal, the process ends at once with that exit code, after
// what must not stay behind was taken away.
//
// A thread of its own waits for the signals, so that a cancel may call the library: the bodies of
// signal handlers could not.
#pragma once

#include <functional>

#include "tools/ortc/errors.h"

namespace ortc::tool {

// To be called before any other thread is made: threads inherit the mask. Signals that the caller
// of this process chose to ignore, as nohup does, stay ignored.
void watch_signals();

// While it lives the first signal calls `cancel`, from another thread and once.
class CancelScope {
 public:
  explicit CancelScope(std::function<void()> cancel);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
};

// While it lives a process that a signal ends at once calls `clean` first, from another thread:
// destructors do not run then. The last that was made is called first.
class CleanScope {
 public:
  explicit CleanScope(std::function<void()> clean);
  ~CleanScope();
  CleanScope(const CleanScope&) = delete;
  CleanScope& operator=(const CleanScope&) = delete;

 private:
  const std::function<void()> clean_;
};

// The signal that was heard; 0: none.
int heard_signal();
// "CANCELLED", with the exit code of the signal that was heard.
ToolError cancelled_error();
void throw_if_cancelled();

}  // namespace ortc::tool
