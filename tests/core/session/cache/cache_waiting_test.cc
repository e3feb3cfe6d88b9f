// SPDX-License-Identifier: MIT
// Sessions whose cache other processes are at: who compiles, who waits, and for how long.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/shared_folder/named_lock.h"
#include "tests/core/session/cache/cache_testing.h"
#include "tests/support/processes.h"

using namespace ortc;
using namespace ortc::test;

TEST(cache_waiting, who_waits_too_long_or_not_at_all_runs_from_the_source) {
  CacheFixture fixture("busy");
  fixture.options.context.cache_bytes_max = 1000;  // makes the folders, keeps nothing
  const std::string key = cache_report(fixture.make()).key;
  fixture.options.context.cache_bytes_max = 0;
  auto lock = NamedLock::try_acquire(fixture.cache_folder().lock_path(key));
  CHECK_OK(lock);
  fixture.options.context.cache_wait_ms = 30;
  const int64_t begin_ns = now_ns();
  const MadeModel late = fixture.make();
  CHECK(now_ns() - begin_ns >= 30'000'000);
  CHECK_EQ(cache_report(late).result, "bypassed");
  CHECK(has_text(cache_report(late).reason, "for 30 ms"));
  fixture.check_results(late);
  fixture.options.context.cache_wait_ms = 3600'000;
  fixture.options.context.cache_source_if_busy = true;
  const MadeModel at_once = fixture.make();
  CHECK(has_text(cache_report(at_once).reason, "ep.context_cache_if_busy=source"));
  fixture.check_results(at_once);
  // A cancel is heard while waiting.
  fixture.options.context.cache_source_if_busy = false;
  fixture.options.cancel_load->store(true);
  CHECK_CODE(make_model(fixture.environment, file_source(fixture.source), fixture.options),
             Code::kModelLoadCanceled);
  fixture.options.cancel_load->store(false);
  lock->reset();
  CHECK_EQ(cache_report(fixture.make()).result, "made");
}

// As a process does that was stopped while it made room.
TEST(cache_waiting, who_waits_too_long_for_room_runs_from_the_source) {
  CacheFixture fixture("locked_room");
  CHECK_OK(fixture.cache_folder().make());
  fixture.options.context.cache_wait_ms = 30;
  auto lock = NamedLock::try_acquire(fixture.cache_folder().room_lock_path());
  CHECK_OK(lock);
  const MadeModel late = fixture.make();
  CHECK_EQ(cache_report(late).result, "bypassed");
  CHECK(has_text(cache_report(late).reason, "locks/room' locked"));
  CHECK_EQ(fixture.warnings->load(), 1);
  fixture.check_results(late);
  lock->reset();
  CHECK_EQ(cache_report(fixture.make()).result, "made");
}

TEST(cache_waiting, room_that_is_taken_for_a_moment_is_waited_for_even_by_who_waits_for_nobody) {
  CacheFixture fixture("moment");
  CHECK_OK(fixture.cache_folder().make());
  fixture.options.context.cache_wait_ms = 0;
  auto lock = NamedLock::try_acquire(fixture.cache_folder().room_lock_path());
  CHECK_OK(lock);
  std::thread other([&] {
    usleep(100'000);
    lock->reset();
  });
  const MadeModel made = fixture.make();
  other.join();
  CHECK_EQ(cache_report(made).result, "made");
  CHECK_EQ(fixture.entry_count(), 1u);
}

// Stopped between the compile and its publishing: what was compiled serves the session.
TEST(cache_waiting, what_cannot_be_published_in_time_runs_but_is_not_kept) {
  CacheFixture fixture("locked_late");
  fixture.options.context.cache_wait_ms = 30;
  std::unique_ptr<NamedLock> lock;
  MakingLimits limits;
  limits.progress = [&](std::string_view stage, std::string_view, double) -> Status {
    if (stage != "compile" || lock != nullptr) return Status::ok();
    ASSIGN_OR_RETURN(lock, NamedLock::try_acquire(fixture.cache_folder().room_lock_path()));
    return Status::ok();
  };
  const auto made =
      make_model(fixture.environment, file_source(fixture.source), fixture.options, limits);
  CHECK_OK(made);
  CHECK_EQ(cache_report(*made).result, "made");
  CHECK(has_text(cache_report(*made).reason, "not kept: another process keeps"));
  CHECK_EQ(fixture.entry_count(), 0u);
  fixture.check_results(*made);
}

TEST(cache_waiting, of_many_processes_one_compiles_and_the_others_wait) {
  const CacheFixture fixture("many");
  constexpr int kProcesses = 12;
  const Pipe results;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      const MadeModel made = fixture.make();
      fixture.check_results(made);
      results.send(cache_report(made).result[0]);
      _exit(0);
    }
    children.push_back(child);
  }
  std::string letters;
  for (int i = 0; i < kProcesses; ++i) letters += results.receive();
  for (const pid_t child : children) {
    int state = 0;
    CHECK_EQ(waitpid(child, &state, 0), child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  std::printf("made, hit or waited: %s\n", letters.c_str());
  CHECK_EQ(std::count(letters.begin(), letters.end(), 'm'), 1);
  CHECK_EQ(letters.find_first_not_of("mhw"), std::string::npos);
  CHECK_EQ(fixture.entry_count(), 1u);
}
