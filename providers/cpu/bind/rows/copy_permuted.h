// SPDX-License-Identifier: MIT
// Copies with other strides between elements than their order in y has, by element size. If the
// innermost axis is so in x too, rows are copied (short ones as one larger element); else the two
// axes that are innermost in x and in y span squares that are turned in L1, all other axes count
// those squares. Short blocks that are permuted alike have a table (permute_blocks.h).
#pragma once

#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {

// y[i] = x at the strides of the loop, for all elements of the loop, on all threads. `bytes`: of an
// element. The loop has elements.
void copy_permuted(const RunContext& ctx, NdLoop<1> loop, size_t bytes, const void* x, void* y);

}  // namespace ortc::cpu
