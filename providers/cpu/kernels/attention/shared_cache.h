// SPDX-License-Identifier: MIT
// Keys or values in a buffer that has room for more, past and present in one:
//
//   [B, heads, room, size], of whose rows the first `used` count, and `added` more behind them
//
// Beams of one batch entry read each other's rows: row k of beam j is that of the beam which
// cache_indirection [batch, beams, length] names at [., j, k]. Where a row was written stays.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/kernels/attention/head_products.h"

namespace ortc::cpu {

struct SharedCache {
  int64_t batch, heads, room, used, added, size;

  int64_t rows() const { return used + added; }
};

// INVALID_ARGUMENT unless there is room for the new rows, and `beams`, if present, is
// cache_indirection of that many sequences.
Status check_shared_cache(const SharedCache& cache, const ValueRef& beams);

// INVALID_ARGUMENT for a beam that is none.
Status check_beams(const SharedCache& cache, const ValueRef& beams);

struct SharedRows {
  const float* past;         // the buffer as it was
  float* present;            // the buffer as it will be, which may be the past; or null
  PackedHeads<float> added;  // new rows in packed rows
  ValueRef beams;            // may be omitted
};
// Writes the present, and all rows that count as [B, heads, rows, size].
void extend_shared_cache(const RunContext& ctx, const SharedCache& cache, const SharedRows& rows,
                         float* to);

}  // namespace ortc::cpu
