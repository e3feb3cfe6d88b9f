// SPDX-License-Identifier: MIT
// Texts of affinities, and the processors that workers of a pool stay on.
#include "core/platform/machine/thread_affinity.h"

#include <sched.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/pool/pool_settings.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

ThreadAffinities parsed(std::string_view text) {
  const auto affinities = parse_affinities(text);
  CHECK_OK(affinities);
  return *affinities;
}

// Of the calling thread.
ProcessorNumbers own_processors() {
  cpu_set_t set;
  CHECK_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  ProcessorNumbers numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) numbers.push_back(i);
  }
  return numbers;
}

std::string text_of(const ProcessorNumbers& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number + 1);
  return text;
}

// Where a worker of the pool may run.
ProcessorNumbers processors_of_worker(ThreadPool& pool) {
  ProcessorNumbers numbers;
  std::atomic<bool> done{false};
  CHECK(pool.submit([&] {
    numbers = own_processors();
    done = true;
  }));
  while (!done) std::this_thread::yield();
  return numbers;
}

template <typename Answer>
void check_refused(const Answer& answer, std::string_view words) {
  CHECK_CODE(answer, Code::kInvalidArgument);
  const std::string text = test::text_of(answer);
  if (text.find(words) == std::string::npos) printf("found: %s\n", text.c_str());
  CHECK(text.find(words) != std::string::npos);
}

struct Lines {
  std::mutex mutex;
  std::vector<std::string> texts;

  Logger logger() {
    return Logger(std::make_shared<const LogSink>([this](const LogRecord& record) {
                    const std::lock_guard lock(mutex);
                    texts.emplace_back(record.message);
                  }),
                  "test", Severity::kWarning);
  }
};

}  // namespace

TEST(thread_affinity, reads_numbers_ranges_and_lists) {
  CHECK(parsed("") == ThreadAffinities());
  CHECK(parsed("1") == ThreadAffinities({{0}}));
  CHECK(parsed("1,2,3;4,5") == ThreadAffinities({{0, 1, 2}, {3, 4}}));
  CHECK(parsed("1-8;8-10") == ThreadAffinities({{0, 1, 2, 3, 4, 5, 6, 7}, {7, 8, 9}}));
  CHECK(parsed("7,1-2,2") == ThreadAffinities({{0, 1, 6}}));
}

TEST(thread_affinity, refuses_what_is_not_of_the_form) {
  for (const char* text :
       {";", "1;", ";1", "1;;2", "1,",    ",1", "0",   "1,0",   "-1",          "1-",
        "-", "a",  "1 ", " 1",   "1-2-3", "+1", "1.5", "8193", "99999999999", "0x1"}) {
    if (parse_affinities(text).is_ok()) printf("taken: '%s'\n", text);
    check_refused(parse_affinities(text), "expected the number");
  }
  check_refused(parse_affinities("1;6-3"),
                "a range of processors that ends at 6 or later, found '6-3'");
  check_refused(parse_affinities("1-8192,1-8192"), "at most 8192 processors");
  check_refused(parse_affinities("1,x"), "found 'x' in the group '1,x'");
}

TEST(thread_affinity, is_for_each_thread_but_the_callers) {
  CHECK_OK(check_affinity_count(parsed("1;2"), 3));
  CHECK_OK(check_affinity_count(parsed("1;2"), 1));
  CHECK_OK(check_affinity_count(parsed(""), 3));
  check_refused(check_affinity_count(parsed("1;2"), 2), "processors for 2 threads, expected 1");
  check_refused(check_affinity_count(parsed("1"), 4), "processors for 1 threads, expected 3");
}

TEST(thread_affinity, holds_workers_on_their_processors) {
  if (!can_pin_threads()) return;
  const ProcessorNumbers before = own_processors();
  Lines lines;
  for (const ProcessorNumbers& wanted :
       {before, ProcessorNumbers{before.front()}, ProcessorNumbers{before.back()}}) {
    const auto pool = make_pool({.thread_count = 2}, {}, text_of(wanted), lines.logger());
    CHECK_OK(pool);
    CHECK(processors_of_worker(**pool) == wanted);
  }
  CHECK(own_processors() == before);
  CHECK(lines.texts.empty());
}

TEST(thread_affinity, holds_threads_of_the_program_too) {
  if (!can_pin_threads()) return;
  const ProcessorNumbers before = own_processors();
  ThreadPoolOptions options{.thread_count = 2};
  options.hooks.create = [](void (*worker)(void*), void* parameter) -> void* {
    return new std::thread(worker, parameter);
  };
  options.hooks.join = [](void* handle) {
    auto* thread = static_cast<std::thread*>(handle);
    thread->join();
    delete thread;
  };
  const auto pool = make_pool(options, {}, text_of({before.back()}), Logger());
  CHECK_OK(pool);
  CHECK(processors_of_worker(**pool) == ProcessorNumbers({before.back()}));
}

TEST(thread_affinity, says_which_thread_has_none_of_its_processors) {
  if (!can_pin_threads()) return;
  Lines lines;
  const ProcessorNumbers before = own_processors();
  {
    const auto pool = make_pool({.thread_count = 2}, {}, "8000", lines.logger());
    CHECK_OK(pool);
    CHECK(processors_of_worker(**pool) == before);
  }
  CHECK_EQ(lines.texts.size(), size_t{1});
  CHECK(lines.texts[0].find("thread 1 does not stay") != std::string::npos);
}

TEST(thread_affinity, of_a_pool_without_workers_is_said_to_have_no_effect) {
  if (!can_pin_threads()) return;
  Lines lines;
  CHECK_OK(make_pool({.thread_count = 1}, {}, "1", lines.logger()));
  CHECK_EQ(lines.texts.size(), size_t{1});
  check_refused(make_pool({.thread_count = 3}, {}, "1", lines.logger()), "expected 2");
  check_refused(make_pool({.thread_count = 3}, {}, "1;b", lines.logger()), "found 'b'");
}
