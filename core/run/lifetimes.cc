// SPDX-License-Identifier: MIT
// The memory plan: see the header.
#include "core/run/lifetimes.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace ortc {

uint64_t plan_arena(std::vector<Lifetime>& buffers) {
  std::vector<uint32_t> by_size;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size != 0) by_size.push_back(i);
  }
  std::sort(by_size.begin(), by_size.end(), [&](uint32_t a, uint32_t b) {
    return buffers[a].size != buffers[b].size ? buffers[a].size > buffers[b].size : a < b;
  });
  uint64_t total = 0;
  std::vector<uint32_t> placed;  // by offset
  for (uint32_t index : by_size) {
    Lifetime& buffer = buffers[index];
    auto size = checked_align_up(buffer.size, 64);
    if (!size) return UINT64_MAX;
    uint64_t offset = 0;
    for (uint32_t other_index : placed) {
      const Lifetime& other = buffers[other_index];
      if (other.last < buffer.first || buffer.last < other.first) continue;
      if (other.offset >= offset && other.offset - offset >= *size) break;  // fits before it
      offset = std::max(offset, other.offset + align_up(other.size, 64));
    }
    auto end = checked_add(offset, *size);
    if (!end) return UINT64_MAX;
    buffer.offset = offset;
    total = std::max(total, *end);
    const auto place =
        std::upper_bound(placed.begin(), placed.end(), offset,
                         [&](uint64_t value, uint32_t i) { return value < buffers[i].offset; });
    placed.insert(place, index);
  }
  return total;
}

}  // namespace ortc
