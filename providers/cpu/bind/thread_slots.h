// SPDX-License-Identifier: MIT
// Loops whose work items need scratch: each thread at work owns a slot. Bind declares
// `thread_count` times the scratch of one slot; run gives slot s the s-th part of it.
#pragma once

#include <algorithm>

#include "core/kernel/kernel_contexts.h"
#include "core/platform/pool/halves.h"

namespace ortc::cpu {

// body(slot, item) for every item in [0, count), handed out in halves as threads become free. A
// slot in [0, slots) is never in two calls at the same time. Which slot an item meets is not
// defined.
template <typename F>
void parallel_items(const RunContext& ctx, int64_t slots, int64_t count, F&& body) {
  const int64_t used = std::min(slots, count);
  if (used <= 1) {
    for (int64_t item = 0; item < count; ++item) body(int64_t{0}, item);
    return;
  }
  Halves items(0, static_cast<uint64_t>(count));
  // A block for each slot, as long as its share of the items: by that the pool tells this loop from
  // others of its body.
  const int64_t grain = (count + used - 1) / used;
  ctx.parallel_for(count, grain, [&](int64_t begin, int64_t) {
    const int64_t slot = begin / grain;
    // As the pool hands out blocks: the caller meets the first of them.
    const size_t half = 2 * slot < used ? 0 : 1;
    items.take(half, [&](uint64_t item) { body(slot, static_cast<int64_t>(item)); });
  });
}

// Scratch of `slots` slots of `bytes` each, every one on 64 bytes of its own; nothing on overflow.
inline std::optional<uint64_t> slot_scratch(uint64_t bytes, int64_t slots) {
  const auto aligned = checked_align_up(bytes, 64);
  return aligned ? checked_mul(*aligned, static_cast<uint64_t>(slots)) : std::nullopt;
}

}  // namespace ortc::cpu
