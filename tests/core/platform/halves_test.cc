// SPDX-License-Identifier: MIT
// Work that is handed out in halves.
#include "core/platform/pool/halves.h"

#include <thread>
#include <vector>

#include "tests/support/test.h"

using namespace ortc;

namespace {

std::vector<uint64_t> taken_by_one(Halves& halves, size_t begin) {
  std::vector<uint64_t> taken;
  CHECK_EQ(halves.take(begin, [&](uint64_t i) { taken.push_back(i); }), taken.size());
  return taken;
}

}  // namespace

TEST(halves, one_thread_takes_everything_its_own_half_first) {
  Halves first(0, 5), second(0, 5), rest(3, 7), nothing(4, 4);
  CHECK(taken_by_one(first, 0) == (std::vector<uint64_t>{0, 1, 2, 3, 4}));
  CHECK(taken_by_one(second, 1) == (std::vector<uint64_t>{3, 4, 0, 1, 2}));
  CHECK(taken_by_one(rest, 1) == (std::vector<uint64_t>{5, 6, 3, 4}));
  CHECK(taken_by_one(nothing, 0).empty());
  CHECK(taken_by_one(first, 0).empty());
}

TEST(halves, nothing_is_taken_after_a_stop) {
  Halves halves(0, 10);
  std::vector<uint64_t> taken;
  halves.take(0, [&](uint64_t i) {
    taken.push_back(i);
    if (i == 2) halves.stop();
  });
  CHECK(taken == (std::vector<uint64_t>{0, 1, 2}));
}

TEST(halves, several_threads_take_each_once) {
  constexpr uint64_t kCount = 10'000;
  Halves halves(0, kCount);
  std::vector<std::atomic<int>> times(kCount);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] { sum += halves.take(t % 2, [&](uint64_t i) { ++times[i]; }); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(sum.load(), kCount);
  for (const auto& each : times) CHECK_EQ(each.load(), 1);
}
