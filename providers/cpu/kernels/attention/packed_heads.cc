// SPDX-License-Identifier: MIT
// PackedMultiHeadAttention (com.microsoft): attention within each of several sequences whose tokens
// follow each other without padding, each head by itself:
//
//   y = softmax(scale (q + bq) (k + bk)^T + attention_bias) (v + bv)
//
// Queries, keys and values are [tokens, heads * size], or lie together as [tokens, heads, 3, size].
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kBias, kOffsets, kStarts, kAttentionBias };
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

struct PackedParams {
  uint32_t record_bytes;
  float scale;  // 0: 1 / sqrt(size)
  int64_t heads;
};
static_assert(sizeof(PackedParams) == 16);

Status prepare_packed(PrepareContext& ctx) {
  const int64_t heads = ctx.node().int_attribute("num_heads", 0);
  if (heads < 1) return invalid_graph("attribute 'num_heads' is ", heads, ", expected 1 or more");
  ctx.set_params(
      PackedParams{sizeof(PackedParams), ctx.node().float_attribute("scale", 0.0f), heads});
  return Status::ok();
}

struct PackedShape {
  int64_t tokens, heads, size, value_size;
  int64_t batch, longest;  // sequences, and the length that they were padded to
  bool is_joint;           // [tokens, heads, 3, size]
};

template <typename Context>
Result<PackedShape> packed_shape(const Context& ctx, const PackedParams& params) {
  const auto refuse = [&ctx](std::string_view name, size_t i) {
    return invalid_argument(name, " has shape ", dims_to_string(ctx.input(i).dims()),
                            ", which does not fit");
  };
  const ValueRef &q = ctx.input(kQuery), &offsets = ctx.input(kOffsets);
  PackedShape s{0, params.heads, 0, 0, 0, 0, q.rank == 4};
  if (s.is_joint) {
    if (q.dim(1) != s.heads || q.dim(2) != 3) return refuse("query", kQuery);
    s.tokens = q.dim(0), s.size = s.value_size = q.dim(3);
  } else {
    if (q.rank != 2 || q.dim(1) % s.heads != 0) return refuse("query", kQuery);
    s.tokens = q.dim(0), s.size = q.dim(1) / s.heads;
    if (!ctx.has_input(kKey) || !std::ranges::equal(ctx.input(kKey).dims(), q.dims())) {
      return invalid_argument("key does not have the shape of query, ", dims_to_string(q.dims()));
    }
    if (!ctx.has_input(kValue)) return invalid_argument("value is missing");
    const ValueRef& v = ctx.input(kValue);
    if (v.rank != 2 || v.dim(0) != s.tokens || v.dim(1) % s.heads != 0) {
      return refuse("value", kValue);
    }
    s.value_size = v.dim(1) / s.heads;
  }
  if (offsets.rank != 2) return refuse("token_offset", kOffsets);
  s.batch = offsets.dim(0), s.longest = offsets.dim(1);
  if (ctx.input(kStarts).rank != 1 || ctx.input(kStarts).dim(0) != s.batch + 1) {
    return refuse("cumulative_sequence_length", kStarts);
  }
  const int64_t biases = s.heads * (2 * s.size + s.value_size);
  if (ctx.has_input(kBias) && ctx.input(kBias).element_count() != biases) {
    return refuse("bias", kBias);
  }
  if (ctx.has_input(kAttentionBias)) {
    const ValueRef& bias = ctx.input(kAttentionBias);
    const bool fits = bias.rank == 4 && (bias.dim(0) == s.batch || bias.dim(0) == 1) &&
                      (bias.dim(1) == s.heads || bias.dim(1) == 1) && bias.dim(2) == s.longest &&
                      bias.dim(3) == s.longest;
    if (!fits) return refuse("attention_bias", kAttentionBias);
  }
  return s;
}

// The scores of one query for each sequence and head.
ScratchPlan lay_out(const PackedShape& s) {
  ScratchPlan plan;
  const auto rows = checked_mul(s.batch, s.heads);
  const auto count = rows ? checked_mul(*rows, s.tokens) : std::nullopt;
  plan.add<float>(count.value_or(-1));
  return plan;
}

Status bind_packed(BindContext& ctx) {
  const auto* params = ctx.params<PackedParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->heads < 1) return damaged_params("it has ", params->heads, " heads");
  RETURN_IF_ERROR(check_arity(ctx, 1, 7));
  for (const size_t i : {kQuery, kKey, kValue, kBias, kAttentionBias}) {
    RETURN_IF_ERROR(check_type(ctx, i, kF32));
  }
  for (const size_t i : {kOffsets, kStarts}) {
    if (!ctx.has_input(i)) return invalid_argument("input ", i, " is missing");
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt32)));
  }
  ASSIGN_OR_RETURN(const PackedShape s, packed_shape(ctx, *params));
  RETURN_IF_ERROR(lay_out(s).declare(ctx));
  return ctx.set_output(0, DType::kFloat32, {s.tokens, s.heads * s.value_size});
}

// --- Run.

// One head of queries, keys or values.
struct Rows {
  const float* data;
  int64_t stride;
  const float* bias;  // or null

  float at(int64_t token, int64_t i) const {
    return data[token * stride + i] + (bias != nullptr ? bias[i] : 0.0f);
  }
};

struct Head {
  Rows q, k, v;
  int64_t first, last;  // tokens of the sequence
  const float* bias;    // [longest, longest], or null
};

Head head_of(const RunContext& ctx, const PackedShape& s, int64_t b, int64_t h) {
  Head head{};
  const float* bias = ctx.has_input(kBias) ? ctx.input(kBias).as<float>() : nullptr;
  const auto bias_at = [&](int64_t offset) { return bias != nullptr ? bias + offset : nullptr; };
  const int64_t hidden = s.heads * s.size, joint = 3 * s.size;
  const auto rows = [&](size_t i, int64_t size, const float* row_bias) {
    if (!s.is_joint) {
      return Rows{ctx.input(i).as<float>() + h * size, s.heads * size, row_bias};
    }
    const float* data = ctx.input(kQuery).as<float>() + h * joint;
    return Rows{data + static_cast<int64_t>(i) * s.size, s.heads * joint, row_bias};
  };
  head.q = rows(kQuery, s.size, bias_at(h * s.size));
  head.k = rows(kKey, s.size, bias_at(hidden + h * s.size));
  head.v = rows(kValue, s.value_size, bias_at(2 * hidden + h * s.value_size));
  const auto* starts = ctx.input(kStarts).as<int32_t>();
  head.first = starts[b], head.last = starts[b + 1];
  if (ctx.has_input(kAttentionBias)) {
    const ValueRef& given = ctx.input(kAttentionBias);
    const int64_t plane = (given.dim(0) == 1 ? 0 : b * given.dim(1)) + (given.dim(1) == 1 ? 0 : h);
    head.bias = given.as<float>() + plane * s.longest * s.longest;
  }
  return head;
}

void run_head(const Head& head, const PackedShape& s, float scale, float* scores, float* y) {
  const int64_t count = head.last - head.first;
  for (int64_t i = 0; i < count; ++i) {
    float top = -INFINITY;
    for (int64_t j = 0; j < count; ++j) {
      float sum = 0;
      for (int64_t d = 0; d < s.size; ++d) {
        sum += head.q.at(head.first + i, d) * head.k.at(head.first + j, d);
      }
      scores[j] = sum * scale + (head.bias != nullptr ? head.bias[i * s.longest + j] : 0.0f);
      top = std::max(top, scores[j]);
    }
    float total = 0;
    for (int64_t j = 0; j < count; ++j) total += scores[j] = std::exp(scores[j] - top);
    float* row = y + (head.first + i) * s.heads * s.value_size;
    std::fill_n(row, s.value_size, 0.0f);
    for (int64_t j = 0; j < count; ++j) {
      const float weight = scores[j] / total;
      for (int64_t d = 0; d < s.value_size; ++d) row[d] += weight * head.v.at(head.first + j, d);
    }
  }
}

Status check_starts(const RunContext& ctx, const PackedShape& s) {
  const auto* starts = ctx.input(kStarts).as<int32_t>();
  for (int64_t b = 0; b < s.batch; ++b) {
    const int64_t length = int64_t{starts[b + 1]} - starts[b];
    if (length < 0 || length > s.longest) {
      return invalid_argument("sequence ", b, " has ", length, " tokens of ", s.longest);
    }
  }
  if (starts[0] != 0 || starts[s.batch] != s.tokens) {
    return invalid_argument("sequences of ", starts[s.batch], " tokens, found ", s.tokens);
  }
  return Status::ok();
}

Status run_packed(RunContext& ctx) {
  const auto& params = ctx.params<PackedParams>();
  ASSIGN_OR_RETURN(const PackedShape s, packed_shape(ctx, params));
  RETURN_IF_ERROR(check_starts(ctx, s));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const float scale =
      params.scale != 0 ? params.scale : 1.0f / std::sqrt(static_cast<float>(s.size));
  auto* y = ctx.output(0).as_mutable<float>();
  ctx.parallel_for(s.batch * s.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t h = i % s.heads;
      run_head(head_of(ctx, s, i / s.heads, h), s, scale, scratch_at<float>(ctx, 0) + i * s.tokens,
               y + h * s.value_size);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable packed_heads_kernels() {
  static constexpr KernelRow kPackedRow("PackedMultiHeadAttention", kMicrosoftDomain, 1,
                                        kLatestOpset, kF32, "packed_multi_head_attention.f32", 1,
                                        kNoFlags, 0, prepare_packed, bind_packed, run_packed);
  static constexpr KernelRow rows[] = {
      kPackedRow,
      reduced_row<kPackedRow>("com.microsoft.PackedMultiHeadAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
