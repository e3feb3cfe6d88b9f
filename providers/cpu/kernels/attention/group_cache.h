// SPDX-License-Identifier: MIT
// The cache of GroupQueryAttention: heads taken out of the inputs, normalised and turned, and put
// behind what was there, as floats or as integers of 8 or 4 bits.
#pragma once

#include "providers/cpu/kernels/attention/group_shape.h"

namespace ortc::cpu {

// The heads of queries (part 0), new keys (1) or new values (2) in the inputs.
PackedHeads<float> group_heads(const RunContext& ctx, const GroupShape& s, int64_t part);

// All queries as [B, heads, queries, size], normalised, turned, and times the scales of keys.
void take_group_queries(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                        float* q);

// A cache [B, key heads, rows, width]; where past and present are one buffer it may be that. The
// kept rows move to the front, the new ones come behind them, and behind those, unless they are
// what was in the buffer, zeros. `added` has room for the new keys of integers.
struct GroupCache {
  const std::byte* past;  // or null
  std::byte* data;
  int64_t rows;
};
void fill_group_keys(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                     const GroupCache& cache, float* added);
void fill_group_values(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                       const GroupCache& cache);

// The rows of a staged cache that later queries see, to the present.
void keep_window(const RunContext& ctx, const GroupShape& s, const std::byte* staged,
                 const GroupCache& present);

// Rows [B, heads, queries, size] times the scales of keys (input kGroupKScale) or values.
void scale_group_rows(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                      size_t scale_input, float* rows);

}  // namespace ortc::cpu
