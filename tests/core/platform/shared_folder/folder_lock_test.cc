// SPDX-License-Identifier: MIT
// The folder lock between threads and between processes.
#include "core/platform/shared_folder/folder_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/folder_changes.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/processes.h"

using ortc::FolderLock;
using namespace ortc::test;

namespace {

void check_exits_well(pid_t child) {
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

}  // namespace

TEST(folder_lock, makes_another_process_wait) {
  const std::string folder = fresh_folder("two");
  put_file(folder + "/holder", "parent");
  auto lock = FolderLock::acquire(folder);
  CHECK_OK(lock);
  const Pipe from_child;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    from_child.send('s');
    auto second = FolderLock::acquire(folder);
    // What the parent wrote last before it gave the lock up.
    const bool well = second.is_ok() && get_file(folder + "/holder") == "released";
    put_file(folder + "/holder", "child");
    _exit(well ? 0 : 1);
  }
  CHECK_EQ(from_child.receive(), 's');
  usleep(100'000);
  CHECK_EQ(get_file(folder + "/holder"), "parent");  // the child still waits
  put_file(folder + "/holder", "released");
  lock.value().reset();  // although the child has inherited the descriptor
  check_exits_well(child);
  CHECK_EQ(get_file(folder + "/holder"), "child");
  CHECK_EQ(entry_count(folder), 1u);  // the lock itself makes no file
}

TEST(folder_lock, is_given_up_by_the_end_of_its_process) {
  const std::string folder = fresh_folder("end");
  const Pipe from_child;
  const Pipe to_child;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    auto lock = FolderLock::acquire(folder);
    from_child.send(lock.is_ok() ? 'l' : 'f');
    to_child.receive();
    _exit(0);  // no destructor runs
  }
  CHECK_EQ(from_child.receive(), 'l');
  std::atomic<bool> has_lock{false};
  std::thread waiter([&] {
    auto lock = FolderLock::acquire(folder);
    has_lock = lock.is_ok();
  });
  usleep(50'000);
  CHECK(!has_lock);
  to_child.send('e');
  waiter.join();
  CHECK(has_lock);
  check_exits_well(child);
}

TEST(folder_lock, excludes_threads_of_one_process) {
  const std::string folder = fresh_folder("threads");
  std::atomic<int> inside_count{0};
  std::atomic<int> wrong_count{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        auto lock = FolderLock::acquire(folder);
        if (!lock.is_ok() || ++inside_count != 1) ++wrong_count;
        --inside_count;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(wrong_count.load(), 0);
}

TEST(folder_lock, is_waited_for_until_the_deadline) {
  const std::string folder = fresh_folder("deadline");
  auto lock = FolderLock::acquire(folder);
  CHECK_OK(lock);
  ortc::WaitLimits limits;
  limits.deadline_ns = ortc::now_ns() + 30'000'000;
  const auto second = FolderLock::acquire(folder, limits);
  CHECK_CODE(second, ortc::Code::kFail);
  CHECK(has_text(second.status().message(), "deadline"));
  CHECK(has_text(second.status().message(), folder));
  lock.value().reset();
  CHECK_OK(FolderLock::acquire(folder, limits));  // free: no deadline is asked
}

TEST(folder_lock, is_waited_for_until_somebody_says_stop) {
  const std::string folder = fresh_folder("stop");
  auto lock = FolderLock::acquire(folder);
  CHECK_OK(lock);
  int questions = 0;
  ortc::WaitLimits limits;
  limits.go_on = [&] {
    if (++questions < 5) return ortc::Status::ok();
    return ortc::make_status(ortc::Code::kModelLoadCanceled, "stop");
  };
  CHECK_CODE(FolderLock::acquire(folder, limits), ortc::Code::kModelLoadCanceled);
  CHECK_EQ(questions, 5);
}

TEST(folder_lock, of_another_folder_is_free) {
  auto first = FolderLock::acquire(fresh_folder("one"));
  auto second = FolderLock::acquire(fresh_folder("other"));
  CHECK_OK(first);
  CHECK_OK(second);
  CHECK_OK(FolderLock::acquire(""));
}

TEST(folder_lock, says_which_folder_is_missing) {
  const std::string folder = fresh_folder("missing") + "/none";
  auto lock = FolderLock::acquire(folder);
  CHECK_CODE(lock, ortc::Code::kFail);
  CHECK(has_text(lock.status().message(), folder));
}
