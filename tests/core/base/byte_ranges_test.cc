// SPDX-License-Identifier: MIT
#include "core/base/byte_ranges.h"

#include <random>

#include "core/base/str_cat.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

const std::byte memory[64] = {};

Bytes part(size_t begin, size_t end) { return Bytes(memory + begin, end - begin); }

std::string text_of(const ByteRanges& ranges) {
  std::string text;
  for (const Bytes range : ranges) {
    const auto begin = range.data() - memory;
    text += str_cat(text.empty() ? "" : " ", begin, "-", begin + static_cast<long>(range.size()));
  }
  return text;
}

ByteRanges random_set(std::mt19937& random, std::vector<bool>& bits) {
  ByteRanges ranges;
  bits.assign(64, false);
  for (unsigned i = random() % 6; i > 0; --i) {
    const size_t begin = random() % 64, end = begin + random() % (65 - begin);
    ranges.push_back(part(begin, end));
    for (size_t k = begin; k < end; ++k) bits[k] = true;
  }
  return united(ranges);
}

std::vector<bool> bits_of(const ByteRanges& ranges) {
  std::vector<bool> bits(64, false);
  const std::byte* last = nullptr;
  for (const Bytes range : ranges) {
    CHECK(!range.empty() && (last == nullptr || range.data() > last));
    last = range.data() + range.size();
    for (const std::byte* at = range.data(); at != last; ++at) bits[at - memory] = true;
  }
  return bits;
}

}  // namespace

TEST(byte_ranges, are_united_when_they_touch_and_empty_ones_are_dropped) {
  CHECK_EQ(text_of(united({part(8, 12), part(0, 4), part(4, 6), part(9, 10), part(20, 20)})),
           "0-6 8-12");
  CHECK_EQ(text_of(united({})), "");
}

TEST(byte_ranges, are_compared_as_sets_of_bytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<bool> a, b;
    const ByteRanges first = random_set(random, a), second = random_set(random, b);
    CHECK(bits_of(first) == a);
    std::vector<bool> both(64), only_first(64);
    uint64_t count = 0;
    for (size_t i = 0; i < 64; ++i) {
      both[i] = a[i] && b[i];
      only_first[i] = a[i] && !b[i];
      count += a[i] ? 1 : 0;
    }
    CHECK(bits_of(common_part(first, second)) == both);
    CHECK(bits_of(without(first, second)) == only_first);
    CHECK_EQ(total_bytes(first), count);
  }
}
