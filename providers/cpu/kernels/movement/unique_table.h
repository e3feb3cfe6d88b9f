// SPDX-License-Identifier: MIT
// Which of many numbers are equal, in the order in which they appear first: a table of keys, found
// by a hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ortc::cpu {

class UniqueTable {
 public:
  static constexpr int64_t kMost = int64_t{1} << 30;  // numbers

  // `slots` has room for 4 n of them, `keys` for n.
  UniqueTable(int64_t n, uint32_t* slots, uint64_t* keys)
      : slots_(slots),
        keys_(keys),
        size_most_(std::bit_floor(4 * static_cast<uint64_t>(n))),
        probes_left_(kProbesEach * static_cast<uint64_t>(n)) {
    clear(std::min<uint64_t>(size_most_, 1024));
  }

  size_t count() const { return count_; }
  // Keys that are made so that the table finds them slowly: what it says is no use any more.
  bool is_slow() const { return probes_left_ == 0; }

  // The number of the first one that was equal; count() before it where there was none.
  size_t find(uint64_t key) {
    uint64_t at = home(key);
    for (; slots_[at] != 0; at = (at + 1) & (size_ - 1)) {
      const size_t found = slots_[at] - 1;
      if (keys_[found] == key) return found;
      if (probes_left_ == 0) return 0;
      --probes_left_;
    }
    keys_[count_] = key;
    slots_[at] = static_cast<uint32_t>(++count_);
    if (2 * count_ > size_ && size_ < size_most_) grow();
    return count_ - 1;
  }

 private:
  static constexpr uint64_t kProbesEach = 16;

  uint64_t home(uint64_t key) const { return (key ^ key >> 32) * 0x9E3779B97F4A7C15u >> shift_; }
  void clear(uint64_t size) {
    size_ = size;
    shift_ = 65 - std::bit_width(size);
    std::fill_n(slots_, size, 0);
  }
  void grow() {
    clear(std::min(8 * size_, size_most_));
    for (size_t i = 0; i < count_; ++i) {
      uint64_t at = home(keys_[i]);
      while (slots_[at] != 0) at = (at + 1) & (size_ - 1);
      slots_[at] = static_cast<uint32_t>(i + 1);
    }
  }

  uint32_t* const slots_;
  uint64_t* const keys_;
  const uint64_t size_most_;
  uint64_t size_ = 0, probes_left_;  // a power of two
  int shift_ = 0;
  size_t count_ = 0;
};

}  // namespace ortc::cpu
