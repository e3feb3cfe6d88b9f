// SPDX-License-Identifier: MIT
// MultiHeadAttention of com.microsoft: y = softmax(scale q k^T + attention_bias + mask) v
//
// Queries [B, S, N H] come with one of
//
//   keys [B, L, N H] and values [B, L, N Hv]
//   keys and values together, [B, L, N, 2, H]
//   keys [B, N, L, H] and values [B, N, L, Hv], which are as they are: no past, no bias for them
//
// or have them in themselves, [B, S, N, 3, H]. The bias is [N H + N H + N Hv]; the past of keys and
// values [B, N, P, H] and [B, N, P, Hv]. With past_sequence_length that is in use of a buffer
// [B, N, room, H] which is the present as well, and cache_indirection may say whose rows a sequence
// reads.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/attention/masked_attention.h"
#include "providers/cpu/kernels/attention/shared_cache.h"

namespace ortc::cpu {
namespace {

enum Input : size_t {
  kQ,
  kK,
  kV,
  kBias,
  kMask,
  kScoreBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kCacheIndirection
};
enum Output : size_t { kY, kPresentKey, kPresentValue, kScores };

struct MultiHeadParams {
  uint32_t record_bytes;
  uint32_t reserved;
  MaskedParams masked;
  int64_t heads;
};
static_assert(sizeof(MultiHeadParams) == 32);

// --- Prepare.

Status prepare_multi_head(PrepareContext& ctx) {
  MultiHeadParams params{};
  params.record_bytes = sizeof params;
  params.masked = masked_params(ctx.node());
  params.heads = ctx.node().int_attribute("num_heads", 0);
  if (params.heads < 1) {
    return invalid_graph("attribute 'num_heads' is ", params.heads, ", expected 1 or more");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

enum class Form { kApart, kKeysWithValues, kTogether, kHeads };

struct MultiHeadShape {
  Form form;
  int64_t added;  // keys besides those of the past
  int64_t room;   // rows of a buffer that past and present share; -1: they share none
  MaskedSizes masked;

  bool is_shared() const { return room >= 0; }
  int64_t present() const { return is_shared() ? room : masked.keys; }
  // Keys (part 1) or values (2) in a shared buffer.
  SharedCache cache(int64_t part) const {
    return {masked.batch, masked.heads, room,
            masked.past,  added,        part == 1 ? masked.size : masked.value_size};
  }
};

Status unexpected(std::string_view name, const ValueRef& x, std::string_view expected) {
  return invalid_argument(name, " has shape ", dims_to_string(x.dims()), ", expected ", expected);
}

Status take_packed_query(const ValueRef& q, const MultiHeadParams& params, MultiHeadShape* s) {
  if (q.dim(2) != params.heads || q.dim(3) != 3) {
    return unexpected("query", q, str_cat("[batch,sequence,", params.heads, ",3,size]"));
  }
  s->form = Form::kTogether;
  s->added = q.dim(1);
  s->masked.size = s->masked.value_size = q.dim(4);
  return Status::ok();
}

// Keys and values in one tensor.
Status take_packed_keys(const ValueRef& k, MultiHeadShape* s) {
  const MaskedSizes& m = s->masked;
  if (k.dim(0) != m.batch || k.dim(2) != m.heads || k.dim(3) != 2 || k.dim(4) != m.size) {
    return unexpected("key", k, str_cat("[", m.batch, ",?,", m.heads, ",2,", m.size, "]"));
  }
  s->form = Form::kKeysWithValues;
  s->added = k.dim(1);
  s->masked.value_size = m.size;
  return Status::ok();
}

Status take_keys(const ValueRef& k, const ValueRef& v, MultiHeadShape* s) {
  MaskedSizes& m = s->masked;
  if (k.rank == 4) {
    if (k.dim(0) != m.batch || k.dim(1) != m.heads || k.dim(3) != m.size) {
      return unexpected("key", k, str_cat("[", m.batch, ",", m.heads, ",?,", m.size, "]"));
    }
    if (v.rank != 4 || v.dim(0) != m.batch || v.dim(1) != m.heads || v.dim(2) != k.dim(2)) {
      return unexpected("value", v, str_cat("[", m.batch, ",", m.heads, ",", k.dim(2), ",?]"));
    }
    s->form = Form::kHeads;
    s->added = k.dim(2);
    m.value_size = v.dim(3);
    return Status::ok();
  }
  if (k.rank != 3 || k.dim(0) != m.batch || k.dim(2) != m.heads * m.size) {
    return unexpected("key", k, str_cat("[", m.batch, ",?,", m.heads * m.size, "]"));
  }
  if (v.rank != 3 || v.dim(0) != m.batch || v.dim(1) != k.dim(1) || v.dim(2) % m.heads != 0) {
    return unexpected("value", v,
                      str_cat("[", m.batch, ",", k.dim(1), ",a multiple of ", m.heads, "]"));
  }
  s->form = Form::kApart;
  s->added = k.dim(1);
  m.value_size = v.dim(2) / m.heads;
  return Status::ok();
}

template <typename Context>
Status add_past(const Context& ctx, MultiHeadShape* s) {
  MaskedSizes& m = s->masked;
  m.keys = s->added;
  if (ctx.has_input(kPastKey) != ctx.has_input(kPastValue)) {
    return invalid_argument("past_key and past_value come together");
  }
  if (!ctx.has_input(kPastKey)) return Status::ok();
  if (s->form == Form::kHeads) return invalid_argument("past_key beside keys of rank 4");
  const ValueRef &key = ctx.input(kPastKey), &value = ctx.input(kPastValue);
  if (key.rank != 4 || key.dim(0) != m.batch || key.dim(1) != m.heads || key.dim(3) != m.size) {
    return unexpected("past_key", key, str_cat("[", m.batch, ",", m.heads, ",?,", m.size, "]"));
  }
  if (value.rank != 4 || value.dim(0) != m.batch || value.dim(1) != m.heads ||
      value.dim(2) != key.dim(2) || value.dim(3) != m.value_size) {
    return unexpected("past_value", value,
                      str_cat("[", m.batch, ",", m.heads, ",", key.dim(2), ",", m.value_size, "]"));
  }
  m.past = key.dim(2);
  if (ctx.has_input(kPastLength)) {
    s->room = key.dim(2);
    ASSIGN_OR_RETURN(m.past, read_int(ctx.input(kPastLength), "past_sequence_length"));
    RETURN_IF_ERROR(check_shared_cache(
        s->cache(1), ctx.has_input(kCacheIndirection) ? ctx.input(kCacheIndirection) : ValueRef()));
  }
  const auto keys = checked_add(m.past, s->added);
  if (!keys) return invalid_argument("too many keys");
  m.keys = *keys;
  return Status::ok();
}

template <typename Context>
Result<MultiHeadShape> multi_head_shape(const Context& ctx, const MultiHeadParams& params) {
  const ValueRef& q = ctx.input(kQ);
  if (q.rank != 3 && q.rank != 5) return unexpected("query", q, "rank 3 or 5");
  MultiHeadShape s{};
  s.room = -1;
  s.masked.batch = q.dim(0);
  s.masked.heads = params.heads;
  s.masked.queries = q.dim(1);
  const bool has_key = ctx.has_input(kK), has_value = ctx.has_input(kV);
  if (q.rank == 5) {
    if (has_key || has_value) return invalid_argument("key or value beside a query of rank 5");
    RETURN_IF_ERROR(take_packed_query(q, params, &s));
  } else {
    if (!has_key) return invalid_argument("a query of rank 3 needs a key");
    if (q.dim(2) % params.heads != 0) {
      return unexpected("query", q, str_cat("a multiple of ", params.heads, " in the last place"));
    }
    s.masked.size = q.dim(2) / params.heads;
    const ValueRef& k = ctx.input(kK);
    if ((k.rank == 5) == has_value) {
      return invalid_argument("a key of rank ", k.rank, has_value ? " beside a" : " without",
                              " value");
    }
    RETURN_IF_ERROR(k.rank == 5 ? take_packed_keys(k, &s) : take_keys(k, ctx.input(kV), &s));
  }
  RETURN_IF_ERROR(add_past(ctx, &s));
  if (ctx.has_input(kCacheIndirection) && !s.is_shared()) {
    return invalid_argument("cache_indirection needs past_key and past_sequence_length");
  }
  return s;
}

Status check_bias(const BindContext& ctx, const MultiHeadShape& s) {
  if (!ctx.has_input(kBias)) return Status::ok();
  const MaskedSizes& m = s.masked;
  const int64_t columns = m.heads * (2 * m.size + m.value_size);
  const ValueRef& bias = ctx.input(kBias);
  if (bias.rank == 1 && bias.dim(0) == columns) return Status::ok();
  return unexpected("bias", bias, str_cat("[", columns, "]"));
}

Status check_mask(const BindContext& ctx, const MultiHeadShape& s) {
  const ValueRef& mask = ctx.input(kMask);
  const MaskedSizes& m = s.masked;
  if (!ctx.has_input(kMask)) return Status::ok();
  if (m.past > 0 && mask.rank == 2 && mask.dim(0) == m.batch && mask.dim(1) == s.added) {
    return not_implemented("key_padding_mask that leaves out the past keys");
  }
  ASSIGN_OR_RETURN(const MaskForm form, mask_form_of(mask, m));
  switch (form) {
    case MaskForm::kEnds:
    case MaskForm::kSequences:
    case MaskForm::kKeys:
    case MaskForm::kQueriesKeys:
      return Status::ok();
    default:
      return unexpected("key_padding_mask", mask, "lengths, or a number for each key");
  }
}

struct MultiHeadScratch {
  uint64_t q, keys, values;
  MaskedScratch masked;
};

// Keys and values of rank 4 stay where they are unless they are wanted as outputs as well.
template <typename Context>
MultiHeadScratch lay_out(const Context& ctx, const MultiHeadShape& s, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  const MaskedSizes& m = s.masked;
  const auto kept = [&](size_t output) {
    const bool lies_elsewhere = !s.is_shared() && ctx.has_output(output);
    return lies_elsewhere || s.form == Form::kHeads ? int64_t{0} : m.keys;
  };
  MultiHeadScratch scratch{};
  scratch.q = plan->add<float>(count({m.batch, m.heads, m.queries, m.size}));
  scratch.keys = plan->add<float>(count({m.batch, m.heads, kept(kPresentKey), m.size}));
  scratch.values = plan->add<float>(count({m.batch, m.heads, kept(kPresentValue), m.value_size}));
  scratch.masked = lay_out_masked(m, ctx.thread_count(), plan);
  return scratch;
}

Status set_outputs(BindContext& ctx, const MultiHeadShape& s) {
  const MaskedSizes& m = s.masked;
  RETURN_IF_ERROR(
      ctx.set_output(kY, DType::kFloat32, {m.batch, m.queries, m.heads * m.value_size}));
  if (ctx.has_output(kPresentKey)) {
    RETURN_IF_ERROR(
        ctx.set_output(kPresentKey, DType::kFloat32, {m.batch, m.heads, s.present(), m.size}));
  }
  if (ctx.has_output(kPresentValue)) {
    RETURN_IF_ERROR(ctx.set_output(kPresentValue, DType::kFloat32,
                                   {m.batch, m.heads, s.present(), m.value_size}));
  }
  if (ctx.has_output(kScores)) {
    RETURN_IF_ERROR(
        ctx.set_output(kScores, DType::kFloat32, {m.batch, m.heads, m.queries, m.keys}));
  }
  return Status::ok();
}

Status bind_multi_head(BindContext& ctx) {
  const auto* params = ctx.params<MultiHeadParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->heads < 1) return damaged_params("it has ", params->heads, " heads");
  RETURN_IF_ERROR(check_arity(ctx, 1, 10));
  for (const size_t i : {kQ, kK, kV, kBias, kScoreBias, kPastKey, kPastValue}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  for (const size_t i : {kMask, kPastLength, kCacheIndirection}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt32)));
  }
  ASSIGN_OR_RETURN(const MultiHeadShape s, multi_head_shape(ctx, *params));
  RETURN_IF_ERROR(check_masked_sizes(s.masked));
  RETURN_IF_ERROR(check_bias(ctx, s));
  RETURN_IF_ERROR(check_mask(ctx, s));
  RETURN_IF_ERROR(check_attention_bias(ctx.input(kScoreBias), s.masked));
  RETURN_IF_ERROR(set_outputs(ctx, s));
  ScratchPlan plan;
  lay_out(ctx, s, &plan);
  return plan.declare(ctx);
}

// --- Run.

ValueRef optional(const RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? ctx.input(i) : ValueRef();
}

// Where the heads of queries (part 0), keys (1) or values (2) lie.
PackedHeads<float> part_of(const RunContext& ctx, const MultiHeadShape& s, int64_t part) {
  const MaskedSizes& m = s.masked;
  const int64_t size = part == 2 ? m.value_size : m.size;
  PackedHeads<float> heads{nullptr, m.heads * size, size};
  if (s.form == Form::kTogether) {
    heads = {ctx.input(kQ).as<float>() + part * size, 3 * m.heads * size, 3 * size};
  } else if (s.form == Form::kKeysWithValues && part > 0) {
    heads = {ctx.input(kK).as<float>() + (part - 1) * size, 2 * m.heads * size, 2 * size};
  } else {
    heads.data = ctx.input(static_cast<size_t>(part)).as<float>();
  }
  if (ctx.has_input(kBias)) heads.bias = ctx.input(kBias).as<float>() + part * m.heads * m.size;
  return heads;
}

// Keys (part 1) or values (2), those of the past first, one head after the other.
const float* all_keys(const RunContext& ctx, const MultiHeadShape& s, int64_t part,
                      uint64_t scratch) {
  const MaskedSizes& m = s.masked;
  const size_t output = part == 1 ? kPresentKey : kPresentValue;
  const size_t past = part == 1 ? kPastKey : kPastValue;
  if (s.is_shared()) {
    float* to = scratch_at<float>(ctx, scratch);
    float* present = ctx.has_output(output) ? ctx.output(output).as_mutable<float>() : nullptr;
    extend_shared_cache(ctx, s.cache(part),
                        {ctx.input(past).as<float>(), present, part_of(ctx, s, part),
                         optional(ctx, kCacheIndirection)},
                        to);
    return to;
  }
  HeadDims dims{m.batch, m.heads, s.added, part == 1 ? m.size : m.value_size};
  const bool is_wanted = ctx.has_output(output);
  float* to = is_wanted ? ctx.output(output).as_mutable<float>() : scratch_at<float>(ctx, scratch);
  if (s.form == Form::kHeads) {
    const float* from = ctx.input(static_cast<size_t>(part)).as<float>();
    if (is_wanted) append_heads(ctx, from, dims, to, 0, m.keys);
    return from;
  }
  split_heads(ctx, part_of(ctx, s, part), dims, to, m.past, m.keys);
  dims.sequence = m.past;
  if (m.past > 0) append_heads(ctx, ctx.input(past).as<float>(), dims, to, 0, m.keys);
  return to;
}

Status run_multi_head(RunContext& ctx) {
  const auto& params = ctx.params<MultiHeadParams>();
  ASSIGN_OR_RETURN(const MultiHeadShape s, multi_head_shape(ctx, params));
  ScratchPlan plan;
  const MultiHeadScratch scratch = lay_out(ctx, s, &plan);
  if (s.is_shared()) RETURN_IF_ERROR(check_beams(s.cache(1), optional(ctx, kCacheIndirection)));
  const MaskedSizes& m = s.masked;
  float* q = scratch_at<float>(ctx, scratch.q);
  split_heads(ctx, part_of(ctx, s, 0), {m.batch, m.heads, m.queries, m.size}, q);
  MaskedOperands operands{};
  operands.q = q;
  operands.keys = all_keys(ctx, s, 1, scratch.keys);
  operands.values = all_keys(ctx, s, 2, scratch.values);
  operands.mask = optional(ctx, kMask);
  operands.bias = optional(ctx, kScoreBias);
  operands.scores = ctx.has_output(kScores) ? ctx.output(kScores).as_mutable<float>() : nullptr;
  operands.y = ctx.output(kY).as_mutable<float>();
  return run_masked_attention(ctx, params.masked, m, scratch.masked, operands);
}

}  // namespace

KernelTable multi_head_attention_kernels() {
  static constexpr KernelRow kMultiHeadRow("MultiHeadAttention", "com.microsoft", 1, kLatestOpset,
                                           mask_of(DType::kFloat32), "multi_head_attention.f32", 1,
                                           kNoFlags, 1u << kPastLength, prepare_multi_head,
                                           bind_multi_head, run_multi_head);
  static constexpr KernelRow rows[] = {
      kMultiHeadRow,
      reduced_row<kMultiHeadRow>("MultiHeadAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
