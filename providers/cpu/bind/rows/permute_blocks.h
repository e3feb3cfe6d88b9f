// SPDX-License-Identifier: MIT
// Short blocks, one behind the other in x and in y, whose elements are permuted alike: the small
// matrices of shuffled channels, pixels of a few numbers. A block has too few elements for squares
// that are turned in registers, so a table says where each of some blocks comes from.
#pragma once

#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {

// Whether the loop's first axis counts blocks that are better off with a table. `across` is the
// axis of stride 1 in x.
bool has_short_blocks(const NdLoop<1>& loop, size_t across);

// Of such a loop: y[i] = x at its strides, for all its elements, on all threads. `bytes`: of an
// element, 1, 2, 4, 8 or 16.
void permute_blocks(const RunContext& ctx, const NdLoop<1>& loop, size_t bytes, const void* x,
                    void* y);

}  // namespace ortc::cpu
