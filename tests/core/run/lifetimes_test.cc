// SPDX-License-Identifier: MIT
// The memory plan: buffers that live together never overlap, others share.
#include "core/run/lifetimes.h"

#include "core/base/checked_math.h"
#include "tests/support/test.h"

using ortc::Lifetime;

TEST(arena, never_overlaps_buffers_that_live_at_the_same_time) {
  uint64_t state = 7;
  const auto next = [&](uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> buffers(1 + next(60));
    for (Lifetime& b : buffers) {
      b.size = next(5000);
      b.first = static_cast<uint32_t>(next(40));
      b.last = b.first + static_cast<uint32_t>(next(20));
    }
    const uint64_t total = ortc::plan_arena(buffers);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Lifetime& a = buffers[i];
      CHECK_EQ(a.offset % 64, 0u);
      CHECK(a.size == 0 || a.offset + a.size <= total);
      for (size_t k = 0; k < i; ++k) {
        const Lifetime& b = buffers[k];
        const bool together = a.first <= b.last && b.first <= a.last;
        const bool apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
        CHECK(!together || apart || a.size == 0 || b.size == 0);
      }
    }
  }
}

TEST(arena, gives_buffers_of_disjoint_lives_the_same_place) {
  std::vector<Lifetime> buffers = {{1000, 0, 1, 0}, {1000, 2, 3, 0}, {1000, 4, 5, 0}};
  CHECK_EQ(ortc::plan_arena(buffers), 1024u);
}

TEST(arena, says_so_when_the_sum_overflows) {
  std::vector<Lifetime> buffers = {{UINT64_MAX - 10, 0, 1, 0}, {1000, 0, 1, 0}};
  CHECK_EQ(ortc::plan_arena(buffers), UINT64_MAX);
}
