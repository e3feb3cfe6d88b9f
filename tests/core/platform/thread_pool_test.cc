// SPDX-License-Identifier: MIT
// The thread pool: every block once, from one caller and from many, nested, alone and with
// exceptions. Meant to be run under ThreadSanitizer too.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/cpu.h"
#include "core/platform/pool/pool_settings.h"
#include "core/platform/threads.h"
#include "tests/support/test.h"

namespace {

using ortc::ThreadPool;

// Every element once, no range longer than the grain, and only the last one shorter.
void check_covers(ThreadPool& pool, int64_t count, int64_t grain) {
  std::vector<int> visits(static_cast<size_t>(count));  // plain: a second visitor is a race
  std::atomic<int64_t> wrong_range_count{0};
  const auto body = [&](int64_t begin, int64_t end) {
    const bool whole = end - begin == grain || (end == count && end - begin < grain);
    if (begin < 0 || begin >= end || end > count || begin % grain != 0 || !whole) {
      ++wrong_range_count;
      return;
    }
    for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
  };
  pool.parallel_for(count, grain, body);
  CHECK_EQ(wrong_range_count.load(), 0);
  CHECK(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
}

ortc::ThreadHooks counting_hooks(std::atomic<int>& made, std::atomic<int>& joined) {
  ortc::ThreadHooks hooks;
  hooks.create = [&](void (*worker)(void*), void* parameter) -> void* {
    ++made;
    return new std::thread(worker, parameter);
  };
  hooks.join = [&](void* handle) {
    auto* thread = static_cast<std::thread*>(handle);
    thread->join();
    delete thread;
    ++joined;
  };
  return hooks;
}

// Counts what a pool tells; a share is told of once, and its end on the thread of its begin.
struct Told {
  std::atomic<int> enqueued{0}, open{0}, started{0}, abandoned{0}, wrong{0};

  ortc::WorkCallbacks callbacks() {
    ortc::WorkCallbacks callbacks;
    callbacks.context = this;
    callbacks.on_enqueue = [](void* told) -> void* {
      auto* self = static_cast<Told*>(told);
      ++self->enqueued;
      return new std::thread::id;
    };
    callbacks.on_start = [](void* told, void* share) {
      ++static_cast<Told*>(told)->started;
      ++static_cast<Told*>(told)->open;
      *static_cast<std::thread::id*>(share) = std::this_thread::get_id();
    };
    callbacks.on_stop = [](void* told, void* share) {
      auto* self = static_cast<Told*>(told);
      --self->open;
      const auto* id = static_cast<std::thread::id*>(share);
      if (*id != std::this_thread::get_id()) ++self->wrong;
      delete id;
    };
    callbacks.on_abandon = [](void* told, void* share) {
      ++static_cast<Told*>(told)->abandoned;
      delete static_cast<std::thread::id*>(share);
    };
    return callbacks;
  }

  void check_balance() {
    CHECK_EQ(open.load(), 0);
    CHECK_EQ(wrong.load(), 0);
    CHECK_EQ(enqueued.load(), started.load() + abandoned.load());
  }
};

}  // namespace

TEST(thread_pool, covers_every_range_once) {
  ThreadPool pool({.thread_count = 4});
  CHECK_EQ(pool.thread_count(), 4);
  for (const int64_t count : {0, 1, 2, 7, 63, 64, 65, 1000, 4096}) {
    for (const int64_t grain : {1, 2, 3, 64, 1000, 5000}) check_covers(pool, count, grain);
  }
}

TEST(thread_pool, tells_of_every_share_before_the_loop_ends) {
  Told told;
  const auto pool = ortc::make_pool({.thread_count = 4}, {.callbacks = told.callbacks()});
  for (int round = 0; round < 50; ++round) {
    for (const int64_t count : {1, 2, 3, 64, 1000}) {
      check_covers(*pool, count, 1);
      told.check_balance();
    }
  }
  CHECK_EQ(told.enqueued.load(), 50 * (0 + 2 + 3 + 4 + 4));  // never more than there are blocks
  ThreadPool silent({.thread_count = 4});
  check_covers(silent, 1000, 1);
  CHECK(pool->submit([] {}));
  CHECK_EQ(told.enqueued.load(), 50 * 13);
}

TEST(thread_pool, tells_of_the_end_of_shares_whose_blocks_throw) {
  Told told;
  const auto pool = ortc::make_pool({.thread_count = 4}, {.callbacks = told.callbacks()});
  const auto fails = [](int64_t, int64_t) { throw std::runtime_error("block"); };
  int thrown = 0;
  for (int i = 0; i < 20; ++i) {
    try {
      pool->parallel_for(100, 1, fails);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
    told.check_balance();
  }
  CHECK_EQ(thrown, 20);
}

TEST(thread_pool, tells_of_the_loops_of_many_callers) {
  Told told;
  const auto pool = ortc::make_pool({.thread_count = 3}, {.callbacks = told.callbacks()});
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) check_covers(*pool, 100, 1);
    });
  }
  for (std::thread& caller : callers) caller.join();
  told.check_balance();
  CHECK_EQ(told.enqueued.load(), 4 * 50 * 3);
}

TEST(thread_pool, treats_a_grain_below_one_as_one_and_ignores_empty_loops) {
  ThreadPool pool({.thread_count = 3});
  std::atomic<int64_t> sum{0};
  const auto body = [&](int64_t begin, int64_t end) {
    CHECK_EQ(end, begin + 1);
    sum += begin;
  };
  pool.parallel_for(10, 0, body);
  pool.parallel_for(10, -5, body);
  pool.parallel_for(0, 1, body);
  pool.parallel_for(-3, 1, body);
  CHECK_EQ(sum.load(), 90);
}

TEST(thread_pool, divides_counts_near_the_end_of_int64) {
  ThreadPool pool({.thread_count = 2});
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> ranges;
  const int64_t half = INT64_MAX / 2 + 1;
  pool.parallel_for(INT64_MAX, half, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    ranges.insert({begin, end});
  });
  CHECK(ranges == (std::set<std::pair<int64_t, int64_t>>{{0, half}, {half, INT64_MAX}}));
}

TEST(thread_pool, of_one_thread_runs_everything_on_the_caller) {
  ThreadPool pool({.thread_count = 1});
  const auto self = std::this_thread::get_id();
  int64_t visited = 0;
  pool.parallel_for(1000, 10, [&](int64_t begin, int64_t end) {
    CHECK(std::this_thread::get_id() == self);
    CHECK_EQ(begin, visited);
    visited = end;
  });
  CHECK_EQ(visited, 1000);
  check_covers(pool, 100, 7);
}

TEST(thread_pool, has_a_thread_per_usable_processor_by_default) {
  ThreadPool pool({});
  CHECK_EQ(pool.thread_count(), ortc::logical_cpu_count());
  CHECK_EQ(ThreadPool({.thread_count = -1}).thread_count(), 1);
}

TEST(thread_pool, uses_its_workers) {
  ThreadPool pool({.thread_count = 3});
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> arrived{0};
  // Each block waits for the other two, so that one thread cannot do them all.
  pool.parallel_for(3, 1, [&](int64_t, int64_t) {
    ++arrived;
    const int64_t deadline = ortc::now_ns() + 20'000'000'000;
    while (arrived < 3 && ortc::now_ns() < deadline) std::this_thread::yield();
    std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  CHECK_EQ(threads.size(), 3u);
}

TEST(thread_pool, runs_a_nested_loop_on_the_calling_thread) {
  ThreadPool pool({.thread_count = 4});
  ThreadPool other({.thread_count = 4});
  std::vector<std::vector<int>> visits(16, std::vector<int>(200));
  std::atomic<int> elsewhere_count{0};
  pool.parallel_for(16, 1, [&](int64_t outer, int64_t) {
    const auto self = std::this_thread::get_id();
    for (ThreadPool* nested : {&pool, &other}) {
      nested->parallel_for(200, 3, [&](int64_t begin, int64_t end) {
        if (std::this_thread::get_id() != self) ++elsewhere_count;
        for (int64_t i = begin; i < end; ++i) {
          ++visits[static_cast<size_t>(outer)][static_cast<size_t>(i)];
        }
      });
    }
  });
  CHECK_EQ(elsewhere_count.load(), 0);
  for (const auto& row : visits) {
    CHECK(std::all_of(row.begin(), row.end(), [](int n) { return n == 2; }));
  }
  check_covers(pool, 500, 3);  // the calling thread is back outside
}

static void check_many_callers(ThreadPool& pool, int caller_count, int loop_count) {
  std::atomic<int> wrong_count{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < caller_count; ++caller) {
    callers.emplace_back([&, caller] {
      std::vector<int64_t> values(97);
      for (int loop = 0; loop < loop_count; ++loop) {
        pool.parallel_for(97, 1 + (loop + caller) % 9, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i + caller;
        });
      }
      for (int64_t i = 0; i < 97; ++i) {
        if (values[static_cast<size_t>(i)] != (i + caller) * loop_count) ++wrong_count;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK_EQ(wrong_count.load(), 0);
}

TEST(thread_pool, serves_64_callers_at_once) {
  ThreadPool pool({.thread_count = 4});
  check_many_callers(pool, 64, 50);
}

TEST(thread_pool, serves_more_callers_than_it_has_slots) {
  ThreadPool pool({.thread_count = 3});
  check_many_callers(pool, 80, 20);
}

TEST(thread_pool, works_without_spinning) {
  ThreadPool pool({.thread_count = 4, .allow_spinning = false});
  for (int i = 0; i < 300; ++i) check_covers(pool, 200, 7);
  check_many_callers(pool, 8, 50);
}

TEST(thread_pool, wakes_workers_that_have_fallen_asleep) {
  ThreadPool pool({.thread_count = 2, .spin_duration_us = 1});
  for (int round = 0; round < 20; ++round) {
    usleep(1000);
    std::atomic<int> arrived{0};
    pool.parallel_for(2, 1, [&](int64_t, int64_t) {
      ++arrived;
      const int64_t deadline = ortc::now_ns() + 20'000'000'000;
      while (arrived < 2 && ortc::now_ns() < deadline) std::this_thread::yield();
    });
    CHECK_EQ(arrived.load(), 2);
  }
}

TEST(thread_pool, waits_for_a_worker_that_takes_long) {
  ThreadPool pool({.thread_count = 2, .spin_duration_us = 1});
  const auto self = std::this_thread::get_id();
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> arrived{0};
    bool has_finished[2] = {};
    pool.parallel_for(2, 1, [&](int64_t begin, int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != self) usleep(5000);
      has_finished[begin] = true;
    });
    CHECK(has_finished[0] && has_finished[1]);
  }
}

TEST(thread_pool, starts_and_stops_without_being_used) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool unused({.thread_count = 4});
    ThreadPool used_once({.thread_count = 4});
    check_covers(used_once, 40, 3);
  }
}

TEST(thread_pool, hands_an_exception_to_the_caller_and_stays_usable) {
  ThreadPool pool({.thread_count = 3});
  for (const int64_t thrower : {0, 5, 499}) {
    bool was_caught = false;
    try {
      pool.parallel_for(500, 1, [&](int64_t begin, int64_t) {
        if (begin == thrower) throw std::runtime_error("block");
      });
    } catch (const std::runtime_error& error) {
      was_caught = error.what() == std::string("block");
    }
    CHECK(was_caught);
    check_covers(pool, 100, 3);
  }
}

TEST(thread_pool, takes_const_and_temporary_bodies) {
  ThreadPool pool({.thread_count = 2});
  std::atomic<int64_t> sum{0};
  const auto body = [&sum](int64_t begin, int64_t end) { sum += end - begin; };
  pool.parallel_for(10, 3, body);
  pool.parallel_for(10, 3, [&sum](int64_t begin, int64_t end) { sum += end - begin; });
  CHECK_EQ(sum.load(), 20);
}

TEST(thread_pool, runs_tasks_on_workers_that_divide_loops_themselves) {
  std::atomic<int64_t> sum{0};
  std::atomic<int> on_caller{0};
  const auto caller = std::this_thread::get_id();
  {
    ThreadPool pool({.thread_count = 3});
    for (int task = 0; task < 50; ++task) {
      CHECK(pool.submit([&] {
        if (std::this_thread::get_id() == caller) ++on_caller;
        pool.parallel_for(1000, 10, [&](int64_t begin, int64_t end) { sum += end - begin; });
      }));
      pool.parallel_for(100, 10, [&](int64_t begin, int64_t end) { sum += end - begin; });
    }
  }
  // The destructor has waited for all of them.
  CHECK_EQ(sum.load(), 50 * 1000 + 50 * 100);
  CHECK_EQ(on_caller.load(), 0);
}

TEST(thread_pool, without_workers_takes_no_task) {
  ThreadPool alone({.thread_count = 1});
  CHECK(alone.start());
  CHECK(!alone.submit([] {}));
  ortc::ThreadHooks none{.create = [](auto, void*) -> void* { return nullptr; },
                         .join = [](void*) {}};
  ThreadPool refused({.thread_count = 4, .hooks = none});
  CHECK(!refused.start());
  CHECK(!refused.submit([] {}));
  check_covers(refused, 1000, 7);
}

TEST(thread_pool, uses_threads_of_the_program) {
  std::atomic<int> made{0}, joined{0};
  const ortc::ThreadHooks hooks = counting_hooks(made, joined);
  {
    ThreadPool pool({.thread_count = 4, .hooks = hooks});
    CHECK_EQ(made.load(), 0);
    CHECK(pool.start());
    CHECK_EQ(made.load(), 3);
    check_covers(pool, 100000, 11);
  }
  CHECK_EQ(joined.load(), 3);
}

TEST(thread_pool, may_be_ended_by_a_task_of_its_own) {
  for (int i = 0; i < 20; ++i) {
    auto* pool = new ThreadPool({.thread_count = 3});
    std::atomic<bool> has_ended{false};
    CHECK(pool->submit([&] {
      delete pool;
      has_ended = true;
    }));
    while (!has_ended) usleep(100);
  }
}

TEST(thread_pool, ended_by_a_task_of_its_own_joins_every_thread_of_the_program) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> made{0}, joined{0};
    auto* pool = new ThreadPool({.thread_count = 3, .hooks = counting_hooks(made, joined)});
    CHECK(pool->submit([&] { delete pool; }));
    for (int wait = 0; joined < 2 && wait < 100000; ++wait) usleep(100);
    CHECK_EQ(joined.load(), 2);
    CHECK_EQ(made.load(), 2);
  }
}

// ThreadSanitizer ends a forked child that starts threads.
#if defined(__SANITIZE_THREAD__)
constexpr bool kChildrenMayStartThreads = false;
#elif defined(__has_feature)
constexpr bool kChildrenMayStartThreads = !__has_feature(thread_sanitizer);
#else
constexpr bool kChildrenMayStartThreads = true;
#endif

TEST(thread_pool, in_a_forked_child_has_workers_of_its_own_or_ends_without_them) {
  auto* pool = new ThreadPool({.thread_count = 3});
  check_covers(*pool, 1000, 7);
  for (const bool is_used : {false, kChildrenMayStartThreads}) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      std::atomic<bool> was_run{!is_used};
      if (is_used && pool->submit([&] { was_run = true; })) check_covers(*pool, 1000, 7);
      delete pool;
      _exit(was_run ? 0 : 1);
    }
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
  }
  check_covers(*pool, 1000, 7);
  delete pool;
}
