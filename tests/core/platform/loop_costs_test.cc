// SPDX-License-Identifier: MIT
// What loops have cost, and which loops a pool that measures divides.
#include "core/platform/pool/loop_costs.h"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/cpu.h"
#include "core/platform/pool/pool_settings.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

LoopCosts costs;

void spend(int64_t ns) {
  for (const int64_t end = now_ns() + ns; now_ns() < end;) {
  }
}

std::shared_ptr<ThreadPool> measuring_pool(int threads) {
  return make_pool({.thread_count = threads}, {.measures_loops = true});
}

}  // namespace

TEST(loop_costs, are_unknown_before_a_loop_was_there) {
  CHECK_EQ(costs.cost(LoopCosts::name_of(&costs, 5, 1)), LoopCosts::kUnknown);
}

TEST(loop_costs, fall_at_once_and_rise_slowly) {
  const uint64_t name = LoopCosts::name_of(&costs, 100, 1);
  costs.learn(name, 8'000);
  CHECK_EQ(costs.cost(name), 8'000u);
  costs.learn(name, 16'000);  // a thread that was not running for a while
  CHECK_EQ(costs.cost(name), 9'000u);
  costs.learn(name, 2'000);
  CHECK_EQ(costs.cost(name), 2'000u);
  for (int i = 0; i < 100; ++i) costs.learn(name, 50'000);
  CHECK(costs.cost(name) > 45'000u);
  costs.learn(name, INT64_MAX);
  CHECK(costs.cost(name) != LoopCosts::kUnknown);
}

TEST(loop_costs, belong_to_body_count_and_grain) {
  std::set<uint64_t> names;
  for (int64_t count = 1; count < 20; ++count) {
    for (int64_t grain = 1; grain < 20; ++grain) {
      names.insert(LoopCosts::name_of(&costs, count, grain));
      names.insert(LoopCosts::name_of(&names, count, grain));
    }
  }
  CHECK_EQ(names.size(), size_t{2 * 19 * 19});
}

TEST(loop_costs, let_long_loops_be_divided) {
  const auto pool = measuring_pool(2);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const int64_t deadline = now_ns() + 20'000'000'000;
  while (threads.size() < 2 && now_ns() < deadline) {
    pool->parallel_for(8, 1, [&](int64_t, int64_t) {
      spend(1'000'000);
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  CHECK_EQ(threads.size(), size_t{2});
}

TEST(loop_costs, let_short_loops_stay_with_their_caller) {
  const auto pool = measuring_pool(2);
  const auto self = std::this_thread::get_id();
  std::atomic<int> elsewhere{0}, blocks{0};
  for (int i = 0; i < 1000; ++i) {
    if (i == 500) elsewhere = 0;  // by then it is known
    pool->parallel_for(4, 1, [&](int64_t, int64_t) {
      ++blocks;
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
  }
  CHECK_EQ(blocks.load(), 4000);
  CHECK_EQ(elsewhere.load(), 0);
}

TEST(loop_costs, let_a_worker_help_with_short_loops_that_follow_each_other) {
  const auto pool = measuring_pool(2);
  const auto self = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  const auto loop = [&] {
    pool->parallel_for(4, 1, [&](int64_t, int64_t) {
      spend(2'500);
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
  };
  // Once the loop is known to be short, nobody is woken for one that comes alone.
  for (int i = 0; i < 100; ++i) loop();
  elsewhere = 0;
  const int64_t deadline = now_ns() + 60'000'000'000;
  while (elsewhere == 0 && now_ns() < deadline) loop();
  CHECK(elsewhere != 0);
}

// Whether it did shows in the time that it waits awake. It comes in time for a few of the loops, so
// not every round tells.
TEST(loop_costs, let_a_worker_stay_awake_that_was_woken_too_late_for_its_loop) {
  constexpr int kRounds = 8, kSpinUs = 40'000;
  clockid_t clock = 0;
  ThreadHooks hooks;
  hooks.create = [&](void (*worker)(void*), void* parameter) -> void* {
    auto* thread = new std::thread(worker, parameter);
    CHECK_EQ(pthread_getcpuclockid(thread->native_handle(), &clock), 0);
    return thread;
  };
  hooks.join = [](void* handle) {
    const std::unique_ptr<std::thread> thread(static_cast<std::thread*>(handle));
    thread->join();
  };
  const auto worked_ns = [&] {
    timespec time = {};
    CHECK_EQ(clock_gettime(clock, &time), 0);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  const auto pool = make_pool({.thread_count = 2, .spin_duration_us = kSpinUs, .hooks = hooks},
                              {.measures_loops = true});
  CHECK(pool->start());
  int awake = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(3 * kSpinUs));  // it falls asleep
    const int64_t before = worked_ns();
    // A loop that is new wakes it, and has mostly ended before it comes.
    pool->parallel_for(2 + round, 1, [](int64_t, int64_t) {});
    std::this_thread::sleep_for(std::chrono::microseconds(2 * kSpinUs));
    awake += worked_ns() - before > kSpinUs * int64_t{1000} / 10;
  }
  CHECK(awake > kRounds / 2);
}

// One body, count and grain; what differs is in the context.
TEST(loop_costs, let_a_long_loop_be_divided_that_has_the_name_of_short_ones) {
  const auto pool = measuring_pool(2);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto loop = [&](int64_t ns) {
    std::vector<int> visits(8);
    pool->parallel_for(8, 1, [&](int64_t begin, int64_t) {
      ++visits[static_cast<size_t>(begin)];
      if (ns == 0) return;
      spend(ns);
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    CHECK(visits == std::vector<int>(8, 1));
  };
  const int64_t deadline = now_ns() + 20'000'000'000;
  while (threads.size() < 2 && now_ns() < deadline) {
    for (int i = 0; i < 100; ++i) loop(0);
    loop(1'000'000);
  }
  CHECK_EQ(threads.size(), size_t{2});
}

TEST(loop_costs, of_many_callers_leave_each_its_own_loops) {
  const auto pool = measuring_pool(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&] {
      std::vector<int> visits(64);
      for (int loop = 0; loop < 50; ++loop) {
        pool->parallel_for(64, 3, [&](int64_t begin, int64_t end) {
          spend(2'000);
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
      }
      for (const int n : visits) wrong += n != 50;
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(loop_costs, of_loops_that_throw_are_not_learnt_and_the_pool_stays_usable) {
  const auto pool = measuring_pool(2);
  int thrown = 0;
  for (int i = 0; i < 40; ++i) {
    try {
      pool->parallel_for(10, 1, [](int64_t, int64_t) { throw 1; });
    } catch (int) {
      ++thrown;
    }
  }
  CHECK_EQ(thrown, 40);
  std::atomic<int> sum{0};
  pool->parallel_for(10, 1,
                     [&](int64_t begin, int64_t end) { sum += static_cast<int>(end - begin); });
  CHECK_EQ(sum.load(), 10);
}
