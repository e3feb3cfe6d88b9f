// SPDX-License-Identifier: MIT
// Free blocks by length: see the header.
#include "core/run/free_blocks.h"

namespace ortc {

BlockHeader* FreeBlocks::longest_below(uint64_t length) const {
  const auto highest = [](uint64_t bits) { return static_cast<size_t>(std::bit_width(bits)) - 1; };
  const auto below = [](size_t i) { return (uint64_t{1} << i) - 1; };
  const size_t at = class_of(length);
  size_t row = at / kRowSize;
  uint64_t filled = is_filled_[row] & below(at % kRowSize);
  if (filled == 0) {
    const uint64_t rows = has_filled_ & below(row);
    if (rows == 0) return nullptr;
    row = highest(rows);
    filled = is_filled_[row];
  }
  return first_[row * kRowSize + highest(filled)];
}

}  // namespace ortc
