// SPDX-License-Identifier: MIT
#include "core/platform/background_thread.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <thread>

#include "tests/support/test.h"

using namespace ortc;

TEST(background_thread, is_waited_for) {
  std::atomic<bool> is_done{false};
  {
    const auto thread = BackgroundThread::start({}, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_done = true;
    });
    CHECK(thread != nullptr);
  }
  CHECK(is_done.load());
}

TEST(background_thread, may_run_out_of_memory) {
  const auto thread = BackgroundThread::start({}, [] { throw std::bad_alloc(); });
  CHECK(thread != nullptr);
}

TEST(background_thread, answers_no_signals_of_the_program) {
  std::atomic<bool> is_blocked{false};
  {
    const auto thread = BackgroundThread::start({}, [&] {
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      is_blocked = sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGSEGV) == 0;
    });
    CHECK(thread != nullptr);
  }
  CHECK(is_blocked.load());
}

TEST(background_thread, is_made_and_joined_by_the_program_when_it_likes_to) {
  struct Made {
    std::thread thread;
  };
  int joined_count = 0;
  bool gives_none = false;
  ThreadHooks hooks;
  hooks.create = [&](void (*worker)(void*), void* parameter) -> void* {
    return gives_none ? nullptr : new Made{std::thread(worker, parameter)};
  };
  hooks.join = [&](void* handle) {
    auto* made = static_cast<Made*>(handle);
    made->thread.join();
    delete made;
    ++joined_count;
  };
  std::atomic<int> work_count{0};
  CHECK(BackgroundThread::start(hooks, [&] { ++work_count; }) != nullptr);
  CHECK_EQ(work_count.load(), 1);
  CHECK_EQ(joined_count, 1);
  gives_none = true;
  CHECK(BackgroundThread::start(hooks, [&] { ++work_count; }) == nullptr);
  CHECK_EQ(work_count.load(), 1);
  CHECK_EQ(joined_count, 1);
}

TEST(background_thread, is_not_waited_for_in_a_forked_child) {
  std::atomic<bool> may_end{false};
  auto thread = BackgroundThread::start({}, [&] {
    while (!may_end.load()) std::this_thread::yield();
  });
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(20);
    thread.reset();
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  may_end = true;
}
