// SPDX-License-Identifier: MIT
// Pieces of work on several threads: each once, told by the caller's thread, ended by a failure.
#include "core/platform/parallel_work.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<uint64_t> units_of(size_t count) {
  std::vector<uint64_t> units(count);
  std::iota(units.begin(), units.end(), uint64_t{1});
  return units;
}

}  // namespace

TEST(parallel_work, does_every_piece_once) {
  for (const int threads : {0, 1, 2, 5}) {
    ThreadPool pool({.thread_count = std::max(threads, 1)});
    for (const size_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> visits(count);
      Work nobody;
      CHECK_OK(run_pieces(threads == 0 ? nullptr : &pool, nobody, units_of(count), [&](size_t i) {
        ++visits[i];
        return Status::ok();
      }));
      for (const auto& visit : visits) CHECK_EQ(visit.load(), 1);
    }
  }
}

TEST(parallel_work, is_told_by_the_callers_thread_until_all_is_done) {
  ThreadPool pool({.thread_count = 3});
  const auto caller = std::this_thread::get_id();
  double highest = 0;
  int asked = 0;
  Work work(
      [&](double fraction) {
        CHECK(std::this_thread::get_id() == caller);
        highest = fraction;
        return Status::ok();
      },
      [&] {
        CHECK(std::this_thread::get_id() == caller);
        ++asked;
        return Status::ok();
      });
  const auto units = units_of(50);
  work.expect(std::accumulate(units.begin(), units.end(), uint64_t{0}));
  CHECK_OK(run_pieces(&pool, work, units, [](size_t) { return Status::ok(); }));
  CHECK(asked >= 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // it is told every 20 ms at most
  CHECK_OK(work.done(0));
  CHECK_EQ(highest, 1.0);
}

TEST(parallel_work, begins_no_piece_after_those_who_watch_have_stopped_it) {
  for (const bool with_pool : {false, true}) {
    ThreadPool pool({.thread_count = 2});
    std::atomic<int> begun{0};
    Work work(nullptr, [&] { return begun >= 3 ? fail("enough") : Status::ok(); });
    const Status status =
        run_pieces(with_pool ? &pool : nullptr, work, units_of(1000), [&](size_t) {
          ++begun;
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return Status::ok();
        });
    CHECK_EQ(status.message(), "enough");
    CHECK(begun < 900);
  }
  Work stopped(nullptr, [] { return fail("before"); });
  const Status status = run_pieces(nullptr, stopped, units_of(3), [](size_t) {
    check_failed(__FILE__, __LINE__, "a piece has begun");
    return Status::ok();
  });
  CHECK_EQ(status.message(), "before");
}

TEST(parallel_work, gives_the_failure_of_a_piece) {
  ThreadPool pool({.thread_count = 2});
  Work nobody;
  const Status status = run_pieces(&pool, nobody, units_of(20), [](size_t i) {
    return i == 7 ? invalid_graph("piece ", i) : Status::ok();
  });
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK_EQ(status.message(), "piece 7");
}

TEST(parallel_work, stops_inside_of_long_pieces_on_every_thread) {
  for (const bool with_pool : {false, true}) {
    ThreadPool pool({.thread_count = 2});
    std::atomic<int> parts{0};
    Work work(nullptr, [&] { return parts >= 20 ? fail("enough") : Status::ok(); });
    const Status status = run_long_pieces(with_pool ? &pool : nullptr, work, units_of(3),
                                          [&](size_t, const Advance& advance) -> Status {
                                            for (int i = 0; i < 1000; ++i) {
                                              ++parts;
                                              RETURN_IF_ERROR(advance(1));
                                            }
                                            return Status::ok();
                                          });
    CHECK_EQ(status.message(), "enough");
    CHECK(parts < 40);
  }
}
