// SPDX-License-Identifier: MIT
// A table of n-grams of integers behind the record that has them: the place of an n-gram and one,
// 0 where a slot is empty. An n-gram stands in the slot that its hash names, or in the first behind
// it that was empty; three quarters of the slots at least stay so.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ortc::cpu {

// The hash of an n-gram with a token more; that of no tokens is 0.
inline uint64_t hash_with(uint64_t hash, int64_t token) {
  hash = (hash ^ static_cast<uint64_t>(token)) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

class GramIndex {
 public:
  // `slots` are a power of two, or none: then nothing is in the table.
  GramIndex(const uint32_t* slots, uint64_t count) : slots_(slots), mask_(count - 1) {}

  // The first place for which `is_it` holds, of those that the hash allows; -1: there is none.
  template <typename F>
  int64_t find(uint64_t hash, F is_it) const {
    // A damaged table may have no empty slot.
    for (uint64_t tries = 0; tries <= mask_; ++tries, ++hash) {
      const int64_t place = int64_t{slots_[hash & mask_]} - 1;
      if (place < 0 || is_it(place)) return place;
    }
    return -1;
  }

 private:
  const uint32_t* slots_;
  uint64_t mask_;
};

// How many slots there are, and the table of n-grams whose hashes are in the order of their places.
// Equal n-grams: the one with the smallest place is found.
inline std::vector<uint32_t> gram_slots(const std::vector<uint64_t>& hashes) {
  const size_t count = std::bit_ceil(4 * hashes.size() + 1);
  std::vector<uint32_t> slots(1 + count);
  slots[0] = static_cast<uint32_t>(count);
  for (size_t place = 0; place < hashes.size(); ++place) {
    uint64_t at = hashes[place];
    while (slots[1 + (at & (count - 1))] != 0) ++at;
    slots[1 + (at & (count - 1))] = static_cast<uint32_t>(place) + 1;
  }
  return slots;
}

}  // namespace ortc::cpu
