// SPDX-License-Identifier: MIT
// Free blocks by length: lengths waste little, and what is found is what a search of all finds.
#include "core/run/free_blocks.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/test.h"

using namespace ortc;

TEST(free_blocks, have_lengths_a_page_or_a_64th_longer_at_most) {
  constexpr uint64_t kPage = FreeBlocks::kPageBytes;
  for (uint64_t power = 1; power < FreeBlocks::kLengthMax; power *= 2) {
    for (const uint64_t bytes : {power - 1, power, power + 1, power + power / 3}) {
      const uint64_t length = FreeBlocks::length_for(bytes);
      CHECK(length >= bytes);
      CHECK(length <= bytes + std::max(kPage, bytes / 64));
      CHECK_EQ(length % kPage, 0u);
      CHECK_EQ(FreeBlocks::length_for(length), length);
    }
  }
  CHECK_EQ(FreeBlocks::length_for(FreeBlocks::kLengthMax), FreeBlocks::kLengthMax);
}

TEST(free_blocks, are_found_as_a_search_of_all_would_find_them) {
  uint64_t state = 3;
  const auto next = [&](uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  const auto any_length = [&] { return FreeBlocks::length_for(next(1000) << next(37)); };
  FreeBlocks free;
  std::vector<std::unique_ptr<BlockHeader>> blocks;
  std::vector<uint64_t> lengths;  // in order
  for (int round = 0; round < 4000; ++round) {
    if (round % 1000 < 700) {
      blocks.push_back(std::make_unique<BlockHeader>(BlockHeader{nullptr, any_length()}));
      free.add(blocks.back().get());
      lengths.insert(std::ranges::upper_bound(lengths, blocks.back()->length),
                     blocks.back()->length);
    }
    const uint64_t wanted = any_length();
    const auto at = std::ranges::lower_bound(lengths, wanted);
    BlockHeader* const found = free.shortest_from(wanted);
    BlockHeader* const smaller = free.longest_below(wanted);
    CHECK_EQ(found != nullptr ? found->length : 0, at != lengths.end() ? *at : 0);
    CHECK_EQ(smaller != nullptr ? smaller->length : 0, at != lengths.begin() ? *std::prev(at) : 0);
    if (round % 3 == 0 || found == nullptr) continue;
    free.remove(found);
    lengths.erase(at);
  }
  size_t count = 0;
  free.for_each([&](const BlockHeader&) { ++count; });
  CHECK_EQ(count, lengths.size());
}
