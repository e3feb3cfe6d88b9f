// SPDX-License-Identifier: MIT
// Attention as com.microsoft's operators have it, in float32: for every head
//
//   scores = scale q k^T + bias + mask;  y = softmax(scores) v
//
// The mask is made of int32 that say which keys count: those that do not get mask_filter_value,
// -10000 unless said otherwise, which is no -inf: a query that sees no key weighs all of them as
// if there were no mask. Keys after a query (unidirectional) get the lowest float besides; the last
// query sees them all, as in ONNX Runtime, which matters where there are more keys than queries.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/kernels/attention/head_products.h"

namespace ortc::cpu {

// What the numbers of a mask mean; its shape tells, see mask_form_of.
enum class MaskForm {
  kNone,         // no mask, or one number for all keys
  kEnds,         // [B]: keys before it
  kEndsStarts,   // [2 B]: ends, then starts
  kSequences,    // [3 B + 2]: ends, then where queries and keys of each batch begin
  kKeys,         // [B, T]: keys whose number is positive
  kQueriesKeys,  // [B, S, T]
  kSquare,       // [B, 1, M, M]: the row of the query's place
};

// Part of a params record.
struct MaskedParams {
  float scale;  // 0: 1 / sqrt(size)
  float mask_filter_value;
  uint32_t unidirectional;
  uint32_t reserved;
};
static_assert(sizeof(MaskedParams) == 16);

MaskedParams masked_params(const Node& node);

struct MaskedSizes {
  int64_t batch, heads, queries;
  int64_t past, keys;  // `keys` counts those of the past as well
  int64_t size, value_size;

  HeadSizes products() const { return {batch * heads, queries, keys, size, value_size}; }
};

// INVALID_ARGUMENT when products of them are more than there can be.
Status check_masked_sizes(const MaskedSizes& sizes);
// INVALID_ARGUMENT when the mask has none of the shapes.
Result<MaskForm> mask_form_of(const ValueRef& mask, const MaskedSizes& sizes);
// `bias`, if present, is [batch or 1, heads or 1, queries, keys].
Status check_attention_bias(const ValueRef& bias, const MaskedSizes& sizes);

// Offsets into the scratch.
struct MaskedScratch {
  uint64_t scores, mask, y, products;
};
MaskedScratch lay_out_masked(const MaskedSizes& sizes, int thread_count, ScratchPlan* plan);

struct MaskedOperands {
  const float* q;       // [batch, heads, queries, size]
  const float* keys;    // [batch, heads, keys, size]
  const float* values;  // [batch, heads, keys, value_size]
  ValueRef mask, bias;  // may be omitted
  float* scores;        // [batch, heads, queries, keys], as softmax sees them; or null
  float* y;             // [batch, queries, heads * value_size]
};

// Fails only for a mask whose numbers are not understood.
Status run_masked_attention(const RunContext& ctx, const MaskedParams& params,
                            const MaskedSizes& sizes, const MaskedScratch& scratch,
                            const MaskedOperands& operands);

}  // namespace ortc::cpu
