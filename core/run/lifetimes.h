// SPDX-License-Identifier: MIT
// Offsets for buffers with lifetimes: buffers that live at the same time never overlap.
#pragma once

#include <cstdint>
#include <vector>

namespace ortc {

struct Lifetime {
  uint64_t size = 0;    // bytes; 0 takes no place
  uint32_t first = 0;   // step that writes it
  uint32_t last = 0;    // last step that needs it
  uint64_t offset = 0;  // the answer; a multiple of 64
};

// Largest first, each at the lowest offset that is free for its whole life; ties by position. Where
// thousands live at the same time that would take too long: then step by step, each into the
// smallest gap that is there. Gives the arena's size, or UINT64_MAX when it would overflow.
uint64_t plan_arena(std::vector<Lifetime>& buffers);

}  // namespace ortc
