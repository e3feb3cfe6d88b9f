// SPDX-License-Identifier: MIT
// Scores, weights and values of GroupQueryAttention over a filled cache:
//
//   y = softmax(softcap(scale q k^T) + attention_bias) v      over the keys that a query may see
//
// A query sees the keys up to its own, the window's size of them at most. Of a few queries, keys
// and values are read where they lie, whatever type they have; of more, integers are widened first,
// a head at a time.
#pragma once

#include "providers/cpu/kernels/attention/group_shape.h"

namespace ortc::cpu {

// Offsets into the scratch.
struct GroupAttendScratch {
  uint64_t scores, y, wide_keys, wide_values, products;
};
GroupAttendScratch lay_out_group_attend(const GroupShape& s, int thread_count, ScratchPlan* plan);

struct GroupOperands {
  const float* q;           // [B, heads, queries, size]
  const std::byte* keys;    // [B, key heads, s.rows(), width]
  const std::byte* values;  // likewise
};

// Writes y as [B, queries, heads * size] and, if wanted, the scores.
void run_group_attend(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                      const GroupAttendScratch& scratch, const GroupOperands& operands);

}  // namespace ortc::cpu
