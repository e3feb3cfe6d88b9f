// SPDX-License-Identifier: MIT
// Journal views: whenever somebody reads beside a writer, there is a whole set of files, the old
// one or the new one.
#include <sys/wait.h>
#include <unistd.h>

#include "core/platform/clock.h"
#include "tests/core/context/output/file_sets.h"

using namespace ortc;
using namespace ortc::test;

// Every step of the reader before any two operations of the writer.
TEST(journal_view, shows_a_whole_set_between_any_two_operations) {
  for (const bool model_first : {true, false}) {
    bool is_reached = true;
    int whole_count = 0;
    for (int first = 1; is_reached; ++first) {
      is_reached = false;
      bool is_second_reached = true;
      for (int second = first; is_second_reached; ++second) {
        is_second_reached = false;
        const std::string folder = start_folder(true);
        int count = 0;
        Reader reader(folder);
        const HookForScope hook([&](const char*, const std::string&) {
          ++count;
          if (count == first) {
            is_reached = true;
            reader.open_view();
            reader.open_file(model_first ? kModel : kBinary);
          }
          if (count == second) {
            is_second_reached = true;
            reader.open_file(model_first ? kBinary : kModel);
            const int seen = reader.result();
            CHECK(seen == 1 || seen == 2 || seen == kAgain);
            whole_count += seen != kAgain;
            const int now = read_set(folder);
            CHECK(now == 1 || now == 2);
          }
          return Status::ok();
        });
        CHECK_OK(write_set(folder, 2, true));
      }
    }
    CHECK(whole_count > 20);
  }
}

TEST(journal_view, notices_a_whole_transaction) {
  const std::string folder = start_folder(true);
  Reader reader(folder);
  reader.open_view();
  reader.open_file(kModel);
  CHECK_EQ(read_set(folder), 1);
  CHECK_OK(write_set(folder, 2, true));
  CHECK_OK(write_set(folder, 1, true));
  reader.open_file(kBinary);
  CHECK_EQ(reader.result(), kAgain);
}

// For a second, and on a busy machine for as long as ten of each take.
TEST(journal_view, shows_a_whole_set_to_a_reader_beside_a_writer) {
  const std::string folder = start_folder(true);
  const int64_t end_ns = now_ns() + 1'000'000'000;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int set = 2; set <= 11 || now_ns() < end_ns; ++set) {
      CHECK_OK(write_set(folder, set, true));
    }
    _exit(0);
  }
  int last = 1;
  int state = 0;
  bool has_ended = false;
  for (int count = 0; !has_ended || count < 10; ++count) {
    const pid_t ended = has_ended ? 0 : waitpid(child, &state, WNOHANG);
    CHECK(ended >= 0);
    has_ended = has_ended || ended == child;
    const int set = read_set(folder);
    CHECK(set >= last);  // whole, and never an older one
    last = set;
  }
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  CHECK(last >= 11);
  CHECK(names_in(folder) == kBoth);
}
