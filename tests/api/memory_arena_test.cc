// SPDX-License-Identifier: MIT
// The arena behind allocators: blocks apart and aligned, neighbours joined, limits kept.
#include "core/api/env/memory_arena.h"

#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "core/session/packed_weights.h"
#include "tests/support/test.h"

using ortc::Blob;
using ortc::Bytes;
using ortc::MemoryArena;
using ortc::PackedWeights;

TEST(memory_arena, gives_blocks_that_are_apart_and_takes_them_back_in_any_order) {
  MemoryArena arena({.first_region_bytes = 4096});
  std::mt19937 random(7);
  std::map<unsigned char*, size_t> blocks;
  unsigned char mark = 0;
  std::map<unsigned char*, unsigned char> marks;
  for (int i = 0; i < 3000; ++i) {
    if (blocks.size() < 40 && random() % 3 != 0) {
      const size_t size = random() % 5000;
      auto* block = static_cast<unsigned char*>(arena.allocate(size));
      CHECK(block != nullptr && reinterpret_cast<uintptr_t>(block) % 64 == 0);
      std::memset(block, ++mark, size);
      blocks[block] = size;
      marks[block] = mark;
    } else if (!blocks.empty()) {
      auto victim = blocks.begin();
      std::advance(victim, random() % blocks.size());
      for (size_t k = 0; k < victim->second; ++k) CHECK_EQ(victim->first[k], marks[victim->first]);
      arena.release(victim->first);
      blocks.erase(victim);
    }
  }
  for (const auto& [block, size] : blocks) arena.release(block);
  CHECK_EQ(arena.stats().in_use, 0u);
  arena.shrink();
  CHECK_EQ(arena.stats().total, 0u);
}

TEST(memory_arena, joins_neighbours_so_that_a_region_serves_again) {
  MemoryArena arena({.grows_as_requested = true});
  void* whole = arena.allocate(64 * 100);
  arena.release(whole);
  std::vector<void*> parts;
  for (int i = 0; i < 100; ++i) parts.push_back(arena.allocate(64));
  CHECK_EQ(arena.stats().extensions, 1u);
  for (int i = 0; i < 100; ++i) arena.release(parts[static_cast<size_t>(i * 37 % 100)]);
  CHECK(arena.allocate(64 * 100) == whole);
  CHECK_EQ(arena.stats().extensions, 1u);
}

TEST(memory_arena, keeps_its_limit_and_ignores_blocks_of_others) {
  MemoryArena arena({.bytes_max = 10000, .first_region_bytes = 4096});
  CHECK(arena.allocate(10001) == nullptr);
  CHECK(arena.allocate(UINT64_MAX) == nullptr);
  void* block = arena.allocate(8000);
  CHECK(block != nullptr);
  CHECK(arena.allocate(4000) == nullptr);
  int foreign = 0;
  arena.release(&foreign);
  arena.release(nullptr);
  arena.release(block);
  arena.release(block);
  CHECK_EQ(arena.stats().in_use, 0u);
  CHECK_EQ(arena.stats().limit, 10000u);
  void* kept = arena.reserve(64);
  CHECK(kept != nullptr);
  arena.shrink();
  CHECK_EQ(arena.stats().total, 64u);
  CHECK_EQ(arena.stats().reserves, 1u);
}

TEST(memory_arena, serves_several_threads_at_once) {
  MemoryArena arena({});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&arena, t] {
      for (int i = 0; i < 500; ++i) {
        const size_t size = static_cast<size_t>(64 + (i * 97 + t) % 3000);
        auto* block = static_cast<unsigned char*>(arena.allocate(size));
        std::memset(block, t, size);
        CHECK_EQ(block[size - 1], t);
        arena.release(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(arena.stats().in_use, 0u);
  CHECK_EQ(arena.stats().allocations, 2000u);
}

namespace {

Blob aligned_blob(size_t size, int fill) {
  void* memory = std::aligned_alloc(64, size);
  std::memset(memory, fill, size);
  std::shared_ptr<const void> owner(memory, [](const void* p) { std::free(const_cast<void*>(p)); });
  return Blob({static_cast<const std::byte*>(memory), size}, owner);
}

}  // namespace

TEST(packed_weights, are_held_once_when_their_bytes_are_equal) {
  PackedWeights weights;
  const Blob first = weights.share(aligned_blob(4096, 1));
  const Blob equal = weights.share(aligned_blob(4096, 1));
  const Blob other = weights.share(aligned_blob(4096, 2));
  const Blob shorter = weights.share(aligned_blob(2048, 1));
  CHECK(equal.data() == first.data());
  CHECK(other.data() != first.data() && shorter.data() != first.data());
  CHECK_EQ(weights.count(), 3u);
  CHECK_EQ(weights.held_bytes(), uint64_t{4096 + 4096 + 2048});
}

TEST(packed_weights, leave_bytes_alone_that_are_small_or_borrowed) {
  PackedWeights weights;
  const Blob small = aligned_blob(64, 1);
  CHECK(weights.share(small).data() == small.data());
  const Blob owned = aligned_blob(4096, 1);
  const Blob borrowed(owned.bytes(), nullptr);
  CHECK(weights.share(borrowed).data() == borrowed.data());
  CHECK_EQ(weights.count(), 0u);
}
