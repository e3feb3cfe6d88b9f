// SPDX-License-Identifier: MIT
// Modes of the floating-point unit: of a thread, and of the workers of a pool.
#include "core/platform/machine/floating_point_mode.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/threads.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

// Read at run time, by the thread that asks.
volatile float half = 0.5f, smallest = std::numeric_limits<float>::min();
volatile float denormal = std::numeric_limits<float>::denorm_min(), many = 0x1p100f;

bool flushes_results() { return smallest * half == 0; }
bool flushes_operands() { return denormal * many == 0; }

FloatingPointMode flushing() { return FloatingPointMode::standard().with_denormals_as_zero(); }

// A loop that this thread and another one take part in; what `ask` answered on each.
std::vector<bool> answers_of_both(ThreadPool& pool, bool (*ask)()) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::vector<bool> answers;
  std::atomic<bool> both{false};
  const int64_t deadline = now_ns() + 20'000'000'000;
  pool.parallel_for(2, 1, [&](int64_t, int64_t) {
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      answers.push_back(ask());
      if (threads.size() == 2) both = true;
    }
    while (!both && now_ns() < deadline) std::this_thread::yield();
  });
  CHECK_EQ(threads.size(), size_t{2});
  return answers;
}

}  // namespace

TEST(floating_point_mode, is_standard_at_first) {
  CHECK(FloatingPointMode::current() == FloatingPointMode::standard());
  CHECK(!flushes_results());
  CHECK(!flushes_operands());
}

TEST(floating_point_mode, takes_denormal_operands_and_results_for_zero) {
  CHECK_EQ(has_denormals_as_zero(), flushing() != FloatingPointMode::standard());
  if (!has_denormals_as_zero()) return;
  {
    const InFloatingPointMode mode(flushing());
    CHECK(flushes_results());
    CHECK(flushes_operands());
    CHECK(FloatingPointMode::current() == flushing());
  }
  CHECK(!flushes_results());
  CHECK(!flushes_operands());
}

TEST(floating_point_mode, leaves_what_is_no_mode_as_it_is) {
  const InFloatingPointMode mode(flushing());
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const InFloatingPointMode inner(FloatingPointMode::standard());
    std::feraiseexcept(FE_DIVBYZERO);
  }
  CHECK(std::fetestexcept(FE_DIVBYZERO) != 0);
  CHECK(FloatingPointMode::current() == flushing());
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(floating_point_mode, of_workers_is_that_of_the_thread_whose_loop_they_divide) {
  if (!has_denormals_as_zero()) return;
  ThreadPool pool({.thread_count = 2});
  {
    // The workers start here, as threads of a thread in this mode.
    const InFloatingPointMode mode(flushing());
    CHECK(answers_of_both(pool, flushes_results) == std::vector<bool>({true, true}));
    CHECK(answers_of_both(pool, flushes_operands) == std::vector<bool>({true, true}));
  }
  CHECK(answers_of_both(pool, flushes_results) == std::vector<bool>({false, false}));
  const InFloatingPointMode mode(flushing());
  CHECK(answers_of_both(pool, flushes_results) == std::vector<bool>({true, true}));
}

TEST(floating_point_mode, of_tasks_is_the_standard) {
  ThreadPool pool({.thread_count = 2});
  std::atomic<int> answer{-1};
  {
    const InFloatingPointMode mode(flushing());
    CHECK(pool.start());
    CHECK(pool.submit([&] { answer = flushes_results() ? 1 : 0; }));
  }
  while (answer == -1) std::this_thread::yield();
  CHECK_EQ(answer.load(), 0);
}

TEST(floating_point_mode, rounds_on_workers_as_on_the_caller) {
  ThreadPool pool({.thread_count = 2});
  // The answer of arithmetic: fegetround() may ask another unit than the one that computes.
  const auto rounds_up = [] { return 1.0f + denormal > 1.0f; };
  CHECK(answers_of_both(pool, rounds_up) == std::vector<bool>({false, false}));
  CHECK_EQ(std::fesetround(FE_UPWARD), 0);
  const std::vector<bool> answers = answers_of_both(pool, rounds_up);
  CHECK_EQ(std::fesetround(FE_TONEAREST), 0);
  CHECK(answers == std::vector<bool>({true, true}));
}
