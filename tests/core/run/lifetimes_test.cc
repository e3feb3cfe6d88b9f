// SPDX-License-Identifier: MIT
// The memory plan: buffers that live together never overlap, others share.
#include "core/run/lifetimes.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/clock.h"
#include "tests/support/test.h"

using ortc::Lifetime;

namespace {

class Random {
 public:
  uint64_t next(uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  uint64_t state_ = 7;
};

std::vector<Lifetime> random_buffers(Random& random, size_t count, uint64_t steps, uint64_t lives) {
  std::vector<Lifetime> buffers(count);
  for (Lifetime& b : buffers) {
    b.size = random.next(5000);
    b.first = static_cast<uint32_t>(random.next(steps));
    b.last = b.first + static_cast<uint32_t>(random.next(lives));
  }
  return buffers;
}

void check_plan(const std::vector<Lifetime>& buffers, uint64_t total) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Lifetime& a = buffers[i];
    CHECK_EQ(a.offset % 64, 0u);
    CHECK(a.size == 0 || a.offset + a.size <= total);
    for (size_t k = 0; k < i; ++k) {
      const Lifetime& b = buffers[k];
      const bool together = a.first <= b.last && b.first <= a.last;
      const bool apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
      if (together && !apart && a.size != 0 && b.size != 0) CHECK(false);
    }
  }
}

// What lives at once at most.
uint64_t peak_of(const std::vector<Lifetime>& buffers) {
  uint64_t peak = 0;
  for (const Lifetime& at : buffers) {
    uint64_t bytes = 0;
    for (const Lifetime& b : buffers) {
      if (b.first <= at.first && at.first <= b.last) bytes += ortc::align_up(b.size, 64);
    }
    peak = std::max(peak, bytes);
  }
  return peak;
}

}  // namespace

TEST(arena, never_overlaps_buffers_that_live_at_the_same_time) {
  Random random;
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> buffers = random_buffers(random, 1 + random.next(60), 40, 20);
    const uint64_t total = ortc::plan_arena(buffers);
    check_plan(buffers, total);
  }
}

TEST(arena, of_thousands_that_live_at_the_same_time_wastes_little) {
  Random random;
  for (int round = 0; round < 3; ++round) {
    std::vector<Lifetime> buffers = random_buffers(random, 2000, 1000, 1000);
    const uint64_t total = ortc::plan_arena(buffers);
    check_plan(buffers, total);
    CHECK(total <= peak_of(buffers) * 11 / 10);
  }
}

TEST(arena, of_a_network_is_planned_in_a_time_that_grows_with_its_length) {
  const auto time_of = [](uint32_t count) {
    Random random;
    std::vector<Lifetime> buffers(count);
    for (uint32_t i = 0; i < count; ++i) {
      buffers[i] = {64 + random.next(5000), i, i + 1 + static_cast<uint32_t>(random.next(8)), 0};
    }
    int64_t least = INT64_MAX;
    for (int round = 0; round < 3; ++round) {
      const int64_t begin = ortc::now_ns();
      ortc::plan_arena(buffers);
      least = std::min(least, ortc::now_ns() - begin);
    }
    return least;
  };
  CHECK(time_of(16'000) < 100 * time_of(1000));
}

TEST(arena, gives_buffers_of_disjoint_lives_the_same_place) {
  std::vector<Lifetime> buffers = {{1000, 0, 1, 0}, {1000, 2, 3, 0}, {1000, 4, 5, 0}};
  CHECK_EQ(ortc::plan_arena(buffers), 1024u);
}

TEST(arena, says_so_when_the_sum_overflows) {
  std::vector<Lifetime> buffers = {{UINT64_MAX - 10, 0, 1, 0}, {1000, 0, 1, 0}};
  CHECK_EQ(ortc::plan_arena(buffers), UINT64_MAX);
}
