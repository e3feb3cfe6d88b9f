// SPDX-License-Identifier: MIT
// Processes that closed stdin, stdout or stderr: no file that is written gets their numbers.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/platform/descriptor.h"
#include "core/platform/shared_folder/named_lock.h"
#include "core/platform/staged_write.h"
#include "tests/core/platform/platform_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The bits of those of 0, 1 and 2 that are open.
int open_streams() {
  int found = 0;
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) found |= 1 << stream;
  }
  return found;
}

// In a process of its own, which has nothing to print to: its exit code says what was open while
// `opened`, the result of `open`, was there.
template <typename Open>
int streams_open_beside(Open open) {
  const pid_t child = fork();
  if (child == 0) {
    for (int stream = 0; stream <= STDERR_FILENO; ++stream) close(stream);
    const auto opened = open();
    _exit(opened.is_ok() ? open_streams() : 99);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST(standard_streams, that_are_closed_give_their_numbers_to_no_file_that_is_written) {
  const std::string folder = fresh_folder("streams");
  CHECK_EQ(streams_open_beside([&] { return StagedFile::create(folder, "m.bin"); }), 0);
  CHECK_EQ(streams_open_beside([&] { return StagedFile::create_unnamed(folder, "m.bin"); }), 0);
  CHECK_EQ(streams_open_beside([&] { return open_nameless(folder); }), 0);
  CHECK_EQ(streams_open_beside([&] { return NamedLock::acquire(folder + "/lock", {}); }), 0);
}

TEST(standard_streams, are_left_alone_where_they_are_open) {
  const std::string folder = fresh_folder("open_streams");
  const auto file = StagedFile::create(folder, "m.bin");
  CHECK_OK(file);
  CHECK_EQ(open_streams(), 7);
}
