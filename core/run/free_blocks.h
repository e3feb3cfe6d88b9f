// SPDX-License-Identifier: MIT
// Blocks of memory that is not in use, by their length: adding one and finding one cost the same
// however many there are, and take no memory, as blocks are linked through themselves. What every
// run does is inline.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ortc {

// Stands before the bytes of each block, and is as long as their alignment.
struct alignas(64) BlockHeader {
  BlockHeader* next;       // in a list of free blocks
  uint64_t length;         // with this header; of some class
  uint64_t requested = 0;  // bytes
};

// A block's class is its length. There are 64 to each power of two, and each whole page below.
class FreeBlocks {
 public:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kLengthMax = uint64_t{1} << 47;
  // The shortest length that some class has and that is not below `bytes`: up to a page or a 64th
  // longer. `bytes` <= kLengthMax.
  static uint64_t length_for(uint64_t bytes) {
    const uint64_t pages = std::max<uint64_t>(1, (bytes + kPageBytes - 1) / kPageBytes);
    const int shift = shift_of(pages);
    return (((pages - 1) >> shift) + 1) * (kPageBytes << shift);
  }

  bool is_empty() const { return has_filled_ == 0; }
  void add(BlockHeader* block) {
    const size_t at = class_of(block->length), row = at / kRowSize;
    block->next = first_[at];
    first_[at] = block;
    is_filled_[row] |= uint64_t{1} << at % kRowSize;
    has_filled_ |= uint64_t{1} << row;
  }
  // The shortest one of that length at least; the longest one below that length. Null when there is
  // none; the block stays.
  BlockHeader* shortest_from(uint64_t length) const {
    const size_t at = class_of(length);
    size_t row = at / kRowSize;
    uint64_t filled = is_filled_[row] >> at % kRowSize << at % kRowSize;
    if (filled == 0) {
      const uint64_t rows = has_filled_ >> (row + 1) << (row + 1);
      if (rows == 0) return nullptr;
      row = static_cast<size_t>(std::countr_zero(rows));
      filled = is_filled_[row];
    }
    return first_[row * kRowSize + static_cast<size_t>(std::countr_zero(filled))];
  }
  BlockHeader* longest_below(uint64_t length) const;
  // What one of the two has just given.
  void remove(BlockHeader* block) {
    const size_t at = class_of(block->length), row = at / kRowSize;
    first_[at] = block->next;
    if (first_[at] != nullptr) return;
    is_filled_[row] &= ~(uint64_t{1} << at % kRowSize);
    if (is_filled_[row] == 0) has_filled_ &= ~(uint64_t{1} << row);
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t row = 0; row < kRows; ++row) {
      if ((has_filled_ >> row & 1) == 0) continue;
      for (size_t i = 0; i < kRowSize; ++i) {
        for (const BlockHeader* at = first_[row * kRowSize + i]; at != nullptr; at = at->next) {
          visit(*at);
        }
      }
    }
  }

 private:
  // Row 0: below 64 pages; each further row: a power of two.
  static constexpr size_t kRows = 31, kRowSize = 64;
  // How many low bits of the number of pages tell no class.
  static int shift_of(uint64_t pages) {
    return std::max(0, static_cast<int>(std::bit_width(pages)) - 7);
  }
  static size_t class_of(uint64_t length) {
    const uint64_t pages = length / kPageBytes;
    const int shift = shift_of(pages);
    return static_cast<size_t>(shift) * kRowSize + static_cast<size_t>(pages >> shift);
  }

  std::array<BlockHeader*, kRows * kRowSize> first_{};  // the latest one
  std::array<uint64_t, kRows> is_filled_{};             // a bit for each class of the row
  uint64_t has_filled_ = 0;                             // a bit for each row
};

}  // namespace ortc
