// SPDX-License-Identifier: MIT
// Free blocks by length: see the header.
#include "core/run/free_blocks.h"

#include <algorithm>
#include <bit>

namespace ortc {
namespace {

// How many low bits of the number of pages tell no class.
int shift_of(uint64_t pages) { return std::max(0, static_cast<int>(std::bit_width(pages)) - 7); }

int lowest(uint64_t bits) { return std::countr_zero(bits); }
int highest(uint64_t bits) { return static_cast<int>(std::bit_width(bits)) - 1; }

// The bits from `i` on; below `i`.
uint64_t from(size_t i) { return i < 64 ? ~uint64_t{0} << i : 0; }
uint64_t below(size_t i) { return ~from(i); }

}  // namespace

uint64_t FreeBlocks::length_for(uint64_t bytes) {
  const uint64_t pages = std::max<uint64_t>(1, (bytes + kPageBytes - 1) / kPageBytes);
  const int shift = shift_of(pages);
  return (((pages - 1) >> shift) + 1) * (kPageBytes << shift);
}

size_t FreeBlocks::class_of(uint64_t length) {
  const uint64_t pages = length / kPageBytes;
  const int shift = shift_of(pages);
  return static_cast<size_t>(shift) * kRowSize + static_cast<size_t>(pages >> shift);
}

void FreeBlocks::add(BlockHeader* block) {
  const size_t at = class_of(block->length), row = at / kRowSize;
  block->next = first_[at];
  first_[at] = block;
  is_filled_[row] |= uint64_t{1} << at % kRowSize;
  has_filled_ |= uint64_t{1} << row;
}

void FreeBlocks::remove(BlockHeader* block) {
  const size_t at = class_of(block->length), row = at / kRowSize;
  first_[at] = block->next;
  if (first_[at] != nullptr) return;
  is_filled_[row] &= ~(uint64_t{1} << at % kRowSize);
  if (is_filled_[row] == 0) has_filled_ &= ~(uint64_t{1} << row);
}

BlockHeader* FreeBlocks::shortest_from(uint64_t length) const {
  const size_t at = class_of(length);
  size_t row = at / kRowSize;
  uint64_t filled = is_filled_[row] & from(at % kRowSize);
  if (filled == 0) {
    const uint64_t rows = has_filled_ & from(row + 1);
    if (rows == 0) return nullptr;
    row = static_cast<size_t>(lowest(rows));
    filled = is_filled_[row];
  }
  return first_[row * kRowSize + static_cast<size_t>(lowest(filled))];
}

BlockHeader* FreeBlocks::longest_below(uint64_t length) const {
  const size_t at = class_of(length);
  size_t row = at / kRowSize;
  uint64_t filled = is_filled_[row] & below(at % kRowSize);
  if (filled == 0) {
    const uint64_t rows = has_filled_ & below(row);
    if (rows == 0) return nullptr;
    row = static_cast<size_t>(highest(rows));
    filled = is_filled_[row];
  }
  return first_[row * kRowSize + static_cast<size_t>(highest(filled))];
}

}  // namespace ortc
