// SPDX-License-Identifier: MIT
// Attention of com.microsoft: queries, keys and values are made here, by one product.
//
//   [q k v] = input weights + bias         input [B, S, D], weights [D, N H + N H + N Hv]
//   y = softmax(scale q k^T + attention_bias + mask) v
//
// `past` [2, B, N, P, H] holds the keys and values before these, `present` those and the new ones.
// With past_present_share_buffer both are [2, B, N, room, H], and past_sequence_length rows of the
// past are in use.
// ortc.ProjectedAttention has [q k v] as its input, and neither weights nor bias.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/attention/masked_attention.h"
#include "providers/cpu/kernels/attention/shared_cache.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kX, kWeights, kBias, kMask, kPast, kScoreBias, kPastLength };
enum Output : size_t { kY, kPresent };

struct PackedParams {
  uint32_t record_bytes;
  uint32_t shares;  // past and present are one buffer with room for more
  MaskedParams masked;
  int64_t heads;
  int64_t sizes[3];  // columns of queries, keys and values; 0: a third each
};
static_assert(sizeof(PackedParams) == 56);

// --- Prepare.

Status prepare_packed(PrepareContext& ctx) {
  const Node& node = ctx.node();
  // Its text does not say by which angles.
  if (node.int_attribute("do_rotary", 0) != 0) return not_implemented("attribute 'do_rotary'");
  PackedParams params{};
  params.record_bytes = sizeof params;
  params.shares = node.int_attribute("past_present_share_buffer", 0) != 0 ? 1 : 0;
  params.masked = masked_params(node);
  params.heads = node.int_attribute("num_heads", 0);
  if (params.heads < 1) {
    return invalid_graph("attribute 'num_heads' is ", params.heads, ", expected 1 or more");
  }
  const auto sizes = node.ints_attribute("qkv_hidden_sizes", {});
  if (!sizes.empty() && sizes.size() != 3) {
    return invalid_graph("attribute 'qkv_hidden_sizes' has ", sizes.size(), " numbers, expected 3");
  }
  std::copy(sizes.begin(), sizes.end(), params.sizes);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct PackedShape {
  MaskedSizes masked;
  int64_t inputs, columns;
  int64_t room;  // rows of a buffer that past and present share; -1: they share none

  bool is_shared() const { return room >= 0; }
  SharedCache cache() const {
    return {masked.batch, masked.heads, room, masked.past, masked.queries, masked.size};
  }
};

// Columns of a head's queries and values.
Status split_columns(const PackedParams& params, int64_t columns, MaskedSizes* s) {
  int64_t sizes[3] = {params.sizes[0], params.sizes[1], params.sizes[2]};
  if (sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0) {
    if (columns % 3 != 0) {
      return invalid_argument("weights have ", columns, " columns, expected a multiple of 3");
    }
    std::fill(sizes, sizes + 3, columns / 3);
  }
  bool fits = sizes[0] == sizes[1];
  int64_t left = columns;
  for (const int64_t size : sizes) {
    fits = fits && size >= 0 && size <= left && size % params.heads == 0;
    left -= fits ? size : 0;
  }
  if (!fits || left != 0) {
    return invalid_argument(columns, " columns of weights do not divide into ", sizes[0], ", ",
                            sizes[1], " and ", sizes[2], " of ", params.heads, " heads");
  }
  s->size = sizes[0] / params.heads;
  s->value_size = sizes[2] / params.heads;
  return Status::ok();
}

template <typename Context>
Status add_past(const Context& ctx, const PackedParams& params, PackedShape* shape) {
  MaskedSizes* s = &shape->masked;
  s->keys = s->queries;
  if (!ctx.has_input(kPast)) {
    if (params.shares == 0) return Status::ok();
    return invalid_argument("attribute 'past_present_share_buffer' needs past");
  }
  const ValueRef& past = ctx.input(kPast);
  const bool fits = past.rank == 5 && past.dim(0) == 2 && past.dim(1) == s->batch &&
                    past.dim(2) == s->heads && past.dim(4) == s->size && s->size == s->value_size;
  if (!fits) {
    return invalid_argument("past has shape ", dims_to_string(past.dims()), ", expected [2,",
                            s->batch, ",", s->heads, ",?,", s->size, "]");
  }
  s->past = past.dim(3);
  if (params.shares != 0) {
    if (!ctx.has_input(kPastLength)) {
      return invalid_argument("attribute 'past_present_share_buffer' needs past_sequence_length");
    }
    shape->room = past.dim(3);
    ASSIGN_OR_RETURN(s->past, read_int(ctx.input(kPastLength), "past_sequence_length"));
    RETURN_IF_ERROR(check_shared_cache(shape->cache(), ValueRef()));
  }
  const auto keys = checked_add(s->past, s->queries);
  if (!keys) return invalid_argument("too many keys");
  s->keys = *keys;
  return Status::ok();
}

template <typename Context>
Result<PackedShape> packed_shape(const Context& ctx, const PackedParams& params) {
  const ValueRef& x = ctx.input(kX);
  if (x.rank != 3) {
    return invalid_argument("input has shape ", dims_to_string(x.dims()), ", expected rank 3");
  }
  PackedShape s{};
  s.room = -1;
  s.inputs = s.columns = x.dim(2);
  if (ctx.has_input(kWeights)) {
    const ValueRef& weights = ctx.input(kWeights);
    if (weights.rank != 2 || weights.dim(0) != x.dim(2)) {
      return invalid_argument("weights have shape ", dims_to_string(weights.dims()), ", expected [",
                              x.dim(2), ",?]");
    }
    s.columns = weights.dim(1);
  }
  s.masked.batch = x.dim(0);
  s.masked.heads = params.heads;
  s.masked.queries = x.dim(1);
  RETURN_IF_ERROR(split_columns(params, s.columns, &s.masked));
  if (ctx.has_input(kBias) &&
      (ctx.input(kBias).rank != 1 || ctx.input(kBias).dim(0) != s.columns)) {
    return invalid_argument("bias has shape ", dims_to_string(ctx.input(kBias).dims()),
                            ", expected [", s.columns, "]");
  }
  RETURN_IF_ERROR(add_past(ctx, params, &s));
  return s;
}

BatchedProduct projection(const PackedShape& s) {
  BatchedProduct p;
  p.m = s.masked.batch * s.masked.queries;
  p.k = s.inputs;
  p.n = s.columns;
  return p;
}

struct PackedScratch {
  uint64_t projected, projection, q, keys, values;
  MaskedScratch masked;
};

template <typename Context>
PackedScratch lay_out(const Context& ctx, const PackedShape& s, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  const MaskedSizes& m = s.masked;
  const int64_t keys = ctx.has_output(kPresent) && !s.is_shared() ? 0 : m.keys;
  PackedScratch scratch{};
  if (ctx.has_input(kWeights)) {
    scratch.projected = plan->add<float>(count({m.batch, m.queries, s.columns}));
    const auto product = product_scratch(projection(s), ctx.thread_count());
    const auto bytes = product ? checked_cast<int64_t>(*product) : std::nullopt;
    scratch.projection = plan->add<std::byte>(bytes ? *bytes : -1);
  }
  scratch.q = plan->add<float>(count({m.batch, m.heads, m.queries, m.size}));
  scratch.keys = plan->add<float>(count({m.batch, m.heads, keys, m.size}));
  scratch.values = plan->add<float>(count({m.batch, m.heads, keys, m.value_size}));
  scratch.masked = lay_out_masked(m, ctx.thread_count(), plan);
  return scratch;
}

Status check_types(const BindContext& ctx) {
  for (const size_t i : {kX, kWeights, kBias, kPast, kScoreBias}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  RETURN_IF_ERROR(check_type(ctx, kPastLength, mask_of(DType::kInt32)));
  return check_type(ctx, kMask, mask_of(DType::kInt32));
}

Status check_mask(const BindContext& ctx, const PackedParams& params, const MaskedSizes& s) {
  ASSIGN_OR_RETURN(const MaskForm form, mask_form_of(ctx.input(kMask), s));
  if (form == MaskForm::kSquare && params.masked.unidirectional != 0) {
    return invalid_argument("a mask of rank 4 and attribute 'unidirectional'");
  }
  return check_attention_bias(ctx.input(kScoreBias), s);
}

template <bool kIsProjected>
Status bind_packed(BindContext& ctx) {
  const auto* params = ctx.params<PackedParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->heads < 1) return damaged_params("it has ", params->heads, " heads");
  RETURN_IF_ERROR(check_arity(ctx, kIsProjected ? 1 : 2, 7));
  if (kIsProjected && (ctx.has_input(kWeights) || ctx.has_input(kBias))) {
    return invalid_graph("a projected input with weights or a bias");
  }
  RETURN_IF_ERROR(check_types(ctx));
  ASSIGN_OR_RETURN(const PackedShape s, packed_shape(ctx, *params));
  const MaskedSizes& m = s.masked;
  RETURN_IF_ERROR(check_masked_sizes(m));
  RETURN_IF_ERROR(check_mask(ctx, *params, m));
  RETURN_IF_ERROR(
      ctx.set_output(kY, DType::kFloat32, {m.batch, m.queries, m.heads * m.value_size}));
  if (ctx.has_output(kPresent)) {
    if (m.size != m.value_size) {
      return invalid_argument("present needs keys and values of one size, found ", m.size, " and ",
                              m.value_size);
    }
    const int64_t rows = s.is_shared() ? s.room : m.keys;
    RETURN_IF_ERROR(ctx.set_output(kPresent, DType::kFloat32, {2, m.batch, m.heads, rows, m.size}));
  }
  ScratchPlan plan;
  lay_out(ctx, s, &plan);
  return plan.declare(ctx);
}

// --- Run.

void project(const RunContext& ctx, const PackedShape& s, const PackedScratch& scratch) {
  const BatchedProduct p = projection(s);
  if (p.m == 0 || p.n == 0) return;
  float* to = scratch_at<float>(ctx, scratch.projected);
  const float* bias = ctx.has_input(kBias) ? ctx.input(kBias).as<float>() : nullptr;
  if (p.k > 0) {
    run_batched_product(
        ctx.with({}, {}, ctx.scratch() + scratch.projection), p,
        {ctx.input(kX).as<float>(), ctx.input(kWeights).as<float>(), to, 1.0f, bias});
    return;
  }
  for (int64_t i = 0; i < p.m * p.n; ++i) to[i] = bias != nullptr ? bias[i % p.n] : 0.0f;
}

// Keys (part 0) or values (part 1) of the past and those projected, one head after the other.
const float* all_keys(const RunContext& ctx, const PackedShape& s, const PackedHeads<float>& added,
                      int64_t part, int64_t size, uint64_t scratch) {
  const MaskedSizes& m = s.masked;
  const int64_t heads = m.batch * m.heads;
  if (s.is_shared()) {
    float* to = scratch_at<float>(ctx, scratch);
    const int64_t at = part * heads * s.room * size;
    float* present =
        ctx.has_output(kPresent) ? ctx.output(kPresent).as_mutable<float>() + at : nullptr;
    extend_shared_cache(ctx, s.cache(), {ctx.input(kPast).as<float>() + at, present, added, {}},
                        to);
    return to;
  }
  float* to = ctx.has_output(kPresent)
                  ? ctx.output(kPresent).as_mutable<float>() + part * heads * m.keys * size
                  : scratch_at<float>(ctx, scratch);
  if (m.past > 0) {
    append_heads(ctx, ctx.input(kPast).as<float>() + part * heads * m.past * size,
                 {m.batch, m.heads, m.past, size}, to, 0, m.keys);
  }
  split_heads(ctx, added, {m.batch, m.heads, m.queries, size}, to, m.past, m.keys);
  return to;
}

Status run_packed(RunContext& ctx) {
  const auto& params = ctx.params<PackedParams>();
  ASSIGN_OR_RETURN(const PackedShape s, packed_shape(ctx, params));
  ScratchPlan plan;
  const PackedScratch scratch = lay_out(ctx, s, &plan);
  const MaskedSizes& m = s.masked;
  const float* projected = ctx.input(kX).as<float>();
  if (ctx.has_input(kWeights)) {
    project(ctx, s, scratch);
    projected = scratch_at<float>(ctx, scratch.projected);
  }
  // Nothing is projected where there are no queries, but there may be past ones.
  const auto column = [projected](int64_t i) {
    return projected != nullptr ? projected + i : nullptr;
  };
  float* q = scratch_at<float>(ctx, scratch.q);
  split_heads<float>(ctx, {projected, s.columns, m.size}, {m.batch, m.heads, m.queries, m.size}, q);
  const int64_t width = m.heads * m.size;
  const float* keys = all_keys(ctx, s, {column(width), s.columns, m.size}, 0, m.size, scratch.keys);
  const float* values = all_keys(ctx, s, {column(2 * width), s.columns, m.value_size}, 1,
                                 m.value_size, scratch.values);
  const auto optional = [&ctx](size_t i) { return ctx.has_input(i) ? ctx.input(i) : ValueRef(); };
  return run_masked_attention(ctx, params.masked, m, scratch.masked,
                              {q, keys, values, optional(kMask), optional(kScoreBias), nullptr,
                               ctx.output(kY).as_mutable<float>()});
}

}  // namespace

KernelTable packed_attention_kernels() {
  static constexpr KernelRow kAttentionRow(
      "Attention", "com.microsoft", 1, kLatestOpset, mask_of(DType::kFloat32), "ms_attention.f32",
      1, kNoFlags, 1u << kPastLength, prepare_packed, bind_packed<false>, run_packed);
  static constexpr KernelRow rows[] = {
      kAttentionRow,
      reduced_row<kAttentionRow>("com.microsoft.Attention.reduced"),
      {"ProjectedAttention", kInternalDomain, 0, kLatestOpset, mask_of(DType::kFloat32),
       "projected_attention.f32", 1, kNoFlags, 1u << kPastLength, prepare_packed, bind_packed<true>,
       run_packed},
  };
  return rows;
}

}  // namespace ortc::cpu
