// SPDX-License-Identifier: MIT
// Locks by name: among threads, among processes, and when the file goes.
#include "core/platform/shared_folder/named_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/platform/clock.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/processes.h"

using namespace ortc;
using namespace ortc::test;

TEST(named_lock, is_had_by_one_at_a_time) {
  const std::string path = fresh_folder("one") + "/lock";
  auto first = NamedLock::try_acquire(path);
  CHECK_OK(first);
  CHECK(*first != nullptr && !(*first)->has_waited());
  auto second = NamedLock::try_acquire(path);
  CHECK_OK(second);
  CHECK(*second == nullptr);
  first->reset();
  second = NamedLock::try_acquire(path);
  CHECK(*second != nullptr);
}

TEST(named_lock, goes_with_the_process_that_was_killed) {
  const std::string path = fresh_folder("killed") + "/lock";
  const Pipe from_child;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const auto lock = NamedLock::try_acquire(path);
    from_child.send('l');
    for (;;) pause();
  }
  CHECK_EQ(from_child.receive(), 'l');
  CHECK(*NamedLock::try_acquire(path) == nullptr);
  CHECK_EQ(kill(child, SIGKILL), 0);
  const auto lock = NamedLock::acquire(path, {});
  CHECK_OK(lock);
  CHECK(*lock != nullptr);
  CHECK_EQ(waitpid(child, nullptr, 0), child);
}

TEST(named_lock, tells_who_waited_that_nothing_came_of_it) {
  const std::string path = fresh_folder("failed") + "/lock";
  auto holder = NamedLock::try_acquire(path);
  std::atomic<bool> failed{false}, has_waited{false};
  const Pipe waits;
  std::thread waiter([&] {
    WaitLimits limits;
    bool is_said = false;
    limits.go_on = [&] {
      if (!std::exchange(is_said, true)) waits.send('w');
      return Status::ok();
    };
    const auto lock = NamedLock::acquire(path, limits);
    has_waited = (*lock)->has_waited();
    failed = (*lock)->failed_meanwhile();
  });
  CHECK_EQ(waits.receive(), 'w');
  (*holder)->count_failure();
  (*holder)->remove_file();
  holder->reset();
  waiter.join();
  CHECK(has_waited && failed);
  // Whoever comes later is told nothing of it.
  CHECK(!(*NamedLock::acquire(path, {}))->failed_meanwhile());
}

TEST(named_lock, is_one_lock_although_its_file_is_removed_again_and_again) {
  const std::string path = fresh_folder("removed") + "/lock";
  std::atomic<int> inside{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto lock = NamedLock::acquire(path, {});
        if (++inside != 1) ++wrong;
        std::this_thread::yield();
        --inside;
        (*lock)->remove_file();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK_EQ(entry_count(temp_dir() + "/removed"), 0u);
}

TEST(named_lock, waits_no_longer_than_it_may) {
  const std::string path = fresh_folder("limits") + "/lock";
  const auto holder = NamedLock::try_acquire(path);
  WaitLimits limits;
  limits.deadline_ns = now_ns() + 20'000'000;
  const auto late = NamedLock::acquire(path, limits);
  CHECK_OK(late);
  CHECK(*late == nullptr);
  limits.deadline_ns = INT64_MAX;
  limits.go_on = [] { return make_status(Code::kModelLoadCanceled, "enough"); };
  CHECK_CODE(NamedLock::acquire(path, limits), Code::kModelLoadCanceled);
  CHECK(!NamedLock::try_acquire(path + "/none/lock").is_ok());
}
