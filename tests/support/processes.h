// SPDX-License-Identifier: MIT
// Tests with a second process: one that ends in the middle of its writing, and letters between two.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "core/platform/folder_changes.h"
#include "tests/support/test.h"

namespace ortc::test {

// Runs `work` in a child whose n-th write operation ends the process; true when the child got that
// far.
inline bool dies_at_operation(int n, const std::function<void()>& work) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int count = 0;
    set_write_operation_hook([&](const char*, const std::string&) {
      if (++count == n) _exit(42);
      return Status::ok();
    });
    work();
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status) == 42;
}

// Carries single letters between two processes.
struct Pipe {
  int ends[2];
  Pipe() { CHECK_EQ(pipe(ends), 0); }
  void send(char letter) const { CHECK_EQ(write(ends[1], &letter, 1), 1); }
  char receive() const {
    char letter = 0;
    CHECK_EQ(read(ends[0], &letter, 1), 1);
    return letter;
  }
};

}  // namespace ortc::test
