// SPDX-License-Identifier: MIT
// Blocks for runs: reused, given back, refused when no machine has that much.
#include "core/run/arena_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <memory>
#include <thread>

#include "core/platform/clock.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

ArenaPool::Block take(ArenaPool& pool, uint64_t size) {
  auto block = pool.acquire(size);
  CHECK_OK(block);
  CHECK(block->size() >= size);
  CHECK_EQ(reinterpret_cast<uintptr_t>(block->data()) % 64, 0u);
  std::memset(block->data(), 1, block->size());
  return std::move(block).value();
}

}  // namespace

TEST(arena_pool, refuses_sizes_that_no_machine_has) {
  ArenaPool pool;
  for (const uint64_t size : {UINT64_MAX, UINT64_MAX - 4095, UINT64_MAX - 383, uint64_t{1} << 63,
                              ArenaPool::kBytesMax + 1}) {
    CHECK_CODE(pool.acquire(size), Code::kFail);
  }
  CHECK_EQ(pool.held_bytes(), 0u);
}

TEST(arena_pool, gives_the_smallest_block_that_is_large_enough) {
  ArenaPool pool;
  const std::byte* small_block;
  {
    const auto large = take(pool, 100000), small = take(pool, 5000);
    small_block = small.data();
  }
  CHECK(pool.held_bytes() >= 105000);
  CHECK_EQ(take(pool, 4000).data(), small_block);
  pool.shrink();
  CHECK_EQ(pool.held_bytes(), 0u);
}

TEST(arena_pool, replaces_a_block_that_is_too_small) {
  ArenaPool pool;
  take(pool, 1000);
  take(pool, 1000000);
  CHECK(pool.held_bytes() >= 1000000);
  CHECK(pool.held_bytes() < 1000000 + 8192);
}

TEST(arena_pool, keeps_large_blocks_from_small_values) {
  ArenaPool pool;
  const std::byte* large = take(pool, 10'000'000).data();
  const ArenaPool::Block small = take(pool, 100);
  CHECK(small.data() != large);
  CHECK(small.size() < 8192);
  CHECK_EQ(take(pool, 10'000'000).data(), large);
}

TEST(arena_pool, that_keeps_no_memory_holds_none) {
  ArenaPool pool(/*keeps_memory=*/false);
  take(pool, 1000);
  CHECK_EQ(pool.held_bytes(), 0u);
}

TEST(arena_pool, takes_blocks_back_without_memory) {
  ArenaPool pool;
  std::vector<ArenaPool::Block> blocks(100);
  for (auto& block : blocks) block = take(pool, 1000);
  fail_allocations(1, LONG_MAX);
  blocks.clear();
  CHECK(!stop_failing_allocations());
  CHECK(pool.held_bytes() >= 100000);
}

TEST(arena_pool, of_many_unused_blocks_gives_one_as_fast_as_of_few) {
  constexpr int kMany = 20'000;
  const auto time_of_takes = [](int unused) {
    ArenaPool pool;
    {
      std::vector<ArenaPool::Block> blocks(static_cast<size_t>(unused));
      for (auto& block : blocks) block = pool.acquire(1).value();
    }
    int64_t least = INT64_MAX;
    for (int round = 0; round < 5; ++round) {
      const int64_t begin = now_ns();
      for (int i = 0; i < 1000; ++i) pool.acquire(1).value();
      least = std::min(least, now_ns() - begin);
    }
    return least;
  };
  CHECK(time_of_takes(kMany) < 20 * time_of_takes(1));
}

// Often a thread holds the pool's lock then, and the child has no such thread.
TEST(arena_pool, is_destroyed_in_a_child_that_was_forked_while_a_thread_took_blocks) {
  auto pool = std::make_unique<ArenaPool>();
  std::atomic<bool> stops = false;
  std::thread taker([&] {
    while (!stops) pool->acquire(1).value();
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      pool.reset();
      _exit(0);
    }
    CHECK(child > 0);
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
  }
  stops = true;
  taker.join();
}
