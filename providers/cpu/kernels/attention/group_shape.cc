// SPDX-License-Identifier: MIT
// Sizes of GroupQueryAttention: see the header.
#include "providers/cpu/kernels/attention/group_shape.h"

#include <limits>

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kMost = int64_t{1} << 30;  // heads, sequences

bool has_dims(const ValueRef& x, std::initializer_list<int64_t> dims) {
  return std::equal(dims.begin(), dims.end(), x.dims().begin(), x.dims().end());
}

Status refuse(std::string_view name, const ValueRef& found) {
  return invalid_argument(name, " has shape ", dims_to_string(found.dims()),
                          ", which does not fit");
}

template <typename Context>
Status take_total(const Context& ctx, GroupShape* s) {
  ASSIGN_OR_RETURN(s->total, read_int(ctx.input(kGroupTotal), "total_sequence_length"));
  if (s->total < s->queries || s->total > std::numeric_limits<int32_t>::max()) {
    return invalid_argument("total_sequence_length is ", s->total, " for ", s->queries, " queries");
  }
  return Status::ok();
}

template <typename Context>
Status take_cache(const Context& ctx, GroupShape* s) {
  if (ctx.has_input(kGroupPastKey) != ctx.has_input(kGroupPastValue)) {
    return invalid_argument("past_key and past_value come together");
  }
  if (ctx.has_input(kGroupPastKey)) {
    const ValueRef &key = ctx.input(kGroupPastKey), &value = ctx.input(kGroupPastValue);
    s->past = key.rank == 4 ? key.dim(2) : 0;
    if (!has_dims(key, {s->batch, s->kv_heads, s->past, s->width()})) {
      return refuse("past_key", key);
    }
    if (!std::ranges::equal(key.dims(), value.dims())) return refuse("past_value", value);
  }
  s->present = std::max(s->past, s->total);
  s->span = s->total;
  if (s->added == 0 && s->queries > 0 && s->total > s->past) {
    return invalid_argument("total_sequence_length is ", s->total,
                            " without new keys, past_key has ", s->past);
  }
  return Status::ok();
}

template <typename Context>
Status take_window(const Context& ctx, GroupShape* s) {
  if (!ctx.has_input(kGroupPastKey)) {
    return invalid_argument("attribute 'sliding_window_cache' needs past_key and past_value");
  }
  if (s->added != s->queries) {
    return invalid_argument("attribute 'sliding_window_cache' needs new keys");
  }
  if (s->past < s->window || s->past > std::numeric_limits<int32_t>::max()) {
    return invalid_argument("past_key has ", s->past, " rows for a window of ", s->window);
  }
  s->present = s->past;
  const int64_t most = s->queries > 1 ? s->past + s->queries : s->past;
  s->span = std::min(s->total, most);
  return Status::ok();
}

template <typename Context>
Status take_angles(const Context& ctx, const GroupParams& params, GroupShape* s) {
  if (params.do_rotary == 0) return Status::ok();
  if (!ctx.has_input(kGroupCos) || !ctx.has_input(kGroupSin)) {
    return invalid_argument("attribute 'do_rotary' needs cos_cache and sin_cache");
  }
  const ValueRef &cos = ctx.input(kGroupCos), &sin = ctx.input(kGroupSin);
  if (cos.rank != 2 || cos.dim(1) > s->size / 2) return refuse("cos_cache", cos);
  if (!std::ranges::equal(cos.dims(), sin.dims())) return refuse("sin_cache", sin);
  s->half = cos.dim(1);
  return Status::ok();
}

// Keys and values beside the queries: for each query one, or none at all where others have
// filled the cache.
template <typename Context>
Status take_keys(const Context& ctx, GroupShape* s) {
  const ValueRef& key = ctx.input(kGroupK);
  const bool has_none = key.rank == 3 && key.dim(1) == 0 && ctx.has_input(kGroupPastKey);
  s->added = has_none ? 0 : s->queries;
  for (const size_t i : {size_t{kGroupK}, size_t{kGroupV}}) {
    if (!has_dims(ctx.input(i), {s->batch, s->added, s->kv_heads * s->size})) {
      return refuse(i == kGroupK ? "key" : "value", ctx.input(i));
    }
  }
  return Status::ok();
}

Status check_scale(const BindContext& ctx, size_t i, bool has_channels, const GroupShape& s) {
  const ValueRef& scale = ctx.input(i);
  const std::string_view name = i == kGroupKScale ? "k_scale" : "v_scale";
  if (s.is_float() && scale.is_present()) {
    return invalid_argument(name, " beside a cache of floats");
  }
  if (s.is_float()) return Status::ok();
  if (!scale.is_present()) return invalid_argument(name, " is missing");
  const int64_t expected = has_channels ? s.kv_heads * s.size : 1;
  if (scale.element_count() == expected) return Status::ok();
  return invalid_argument(name, " has shape ", dims_to_string(scale.dims()), ", expected ",
                          expected, " numbers");
}

Status check_norms(const BindContext& ctx, const GroupShape& s) {
  if (ctx.has_input(kGroupQNorm) != ctx.has_input(kGroupKNorm)) {
    return invalid_argument("q_norm_weight and k_norm_weight come together");
  }
  for (const size_t i : {size_t{kGroupQNorm}, size_t{kGroupKNorm}}) {
    if (ctx.has_input(i) && !has_dims(ctx.input(i), {s.size})) {
      return refuse(i == kGroupQNorm ? "q_norm_weight" : "k_norm_weight", ctx.input(i));
    }
  }
  return Status::ok();
}

}  // namespace

Status check_group_params(const GroupParams& params) {
  const bool fits = params.q_heads >= 1 && params.kv_heads >= 1 && params.q_heads <= kMost &&
                    params.q_heads % params.kv_heads == 0 &&
                    (params.bits == 32 || params.bits == 8 || params.bits == 4) &&
                    params.scores <= static_cast<uint32_t>(GroupScores::kAfterSoftmax) &&
                    (params.slides == 0 || params.window > 0);
  if (fits) return Status::ok();
  return damaged_params(params.q_heads, " heads over ", params.kv_heads, " of ", params.bits,
                        " bits, a window of ", params.window, ", scores of form ", params.scores);
}

template <typename Context>
Result<GroupShape> group_shape(const Context& ctx, const GroupParams& params) {
  const ValueRef& q = ctx.input(kGroupQ);
  if (q.rank != 3) return refuse("query", q);
  if (ctx.has_input(kGroupK) != ctx.has_input(kGroupV)) {
    return invalid_argument("key and value come together");
  }
  GroupShape s{};
  s.batch = q.dim(0), s.queries = q.dim(1), s.added = q.dim(1);
  s.q_heads = params.q_heads, s.kv_heads = params.kv_heads;
  s.window = params.window, s.slides = params.slides != 0;
  s.bits = static_cast<int>(params.bits);
  s.is_packed = !ctx.has_input(kGroupK);
  const int64_t heads = s.q_heads + (s.is_packed ? 2 * s.kv_heads : 0);
  if (q.dim(2) % heads != 0) return refuse("query", q);
  s.size = q.dim(2) / heads;
  if (!s.is_packed) RETURN_IF_ERROR(take_keys(ctx, &s));
  RETURN_IF_ERROR(take_total(ctx, &s));
  RETURN_IF_ERROR(take_cache(ctx, &s));
  if (s.slides) RETURN_IF_ERROR(take_window(ctx, &s));
  RETURN_IF_ERROR(take_angles(ctx, params, &s));
  return s;
}

template Result<GroupShape> group_shape(const BindContext& ctx, const GroupParams& params);
template Result<GroupShape> group_shape(const RunContext& ctx, const GroupParams& params);

Status check_group_types(const BindContext& ctx, const GroupParams& params) {
  for (const size_t i : {kGroupQ, kGroupLengths, kGroupTotal}) {
    if (!ctx.has_input(i)) return invalid_graph("input ", size_t{i}, " is missing");
  }
  for (const size_t i : {kGroupQ, kGroupK, kGroupV, kGroupCos, kGroupSin, kGroupBias, kGroupSink,
                         kGroupKScale, kGroupVScale, kGroupQNorm, kGroupKNorm}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  GroupShape s{};
  s.bits = static_cast<int>(params.bits);
  for (const size_t i : {kGroupPastKey, kGroupPastValue}) {
    if (!s.is_float() && ctx.has_input(i) && ctx.input(i).dtype == DType::kFloat8E4M3Fn) {
      return not_implemented("a cache of float8e4m3fn");
    }
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(s.cache_type())));
  }
  RETURN_IF_ERROR(check_type(ctx, kGroupLengths, mask_of(DType::kInt32)));
  RETURN_IF_ERROR(check_type(ctx, kGroupTotal, mask_of(DType::kInt32)));
  return check_type(ctx, kGroupPositions, mask_of(DType::kInt64));
}

Status check_group_rest(const BindContext& ctx, const GroupParams& params, const GroupShape& s) {
  if (s.batch > kMost) return invalid_argument("a batch of ", s.batch);
  if (ctx.input(kGroupLengths).element_count() != s.batch) {
    return refuse("seqlens_k", ctx.input(kGroupLengths));
  }
  if (ctx.has_input(kGroupPositions) &&
      !has_dims(ctx.input(kGroupPositions), {s.batch, s.queries})) {
    return refuse("position_ids", ctx.input(kGroupPositions));
  }
  if (ctx.has_input(kGroupSink) && !has_dims(ctx.input(kGroupSink), {s.q_heads})) {
    return refuse("head_sink", ctx.input(kGroupSink));
  }
  RETURN_IF_ERROR(check_scale(ctx, kGroupKScale, (params.channels & 1) != 0, s));
  RETURN_IF_ERROR(check_scale(ctx, kGroupVScale, (params.channels & 2) != 0, s));
  RETURN_IF_ERROR(check_norms(ctx, s));
  const ValueRef& bias = ctx.input(kGroupBias);
  if (!ctx.has_input(kGroupBias)) return Status::ok();
  const bool fits = bias.rank == 4 && (bias.dim(0) == 1 || bias.dim(0) == s.batch) &&
                    (bias.dim(1) == 1 || bias.dim(1) == s.q_heads) && bias.dim(2) == s.queries &&
                    bias.dim(3) == s.total;
  return fits ? Status::ok() : refuse("attention_bias", bias);
}

// --- Lengths.

int64_t sliding_rows(const GroupShape& s, int64_t length) {
  if (length <= s.past) return length;
  const int64_t gap = s.past - s.window + 1;
  return length - (length - s.past + gap - 1) / gap * gap;
}

GroupLengths group_lengths(const RunContext& ctx, const GroupShape& s, int64_t b) {
  const int64_t keys = int64_t{ctx.input(kGroupLengths).as<int32_t>()[b]} + 1;
  const int64_t before = s.is_prompt() ? 0 : keys - s.queries;
  if (!s.slides) return {keys, before, s.added == 0 ? keys : before, 0, 0};
  const int64_t rows = sliding_rows(s, before);
  const int64_t kept = s.is_staged() ? rows : sliding_rows(s, before + 1) - 1;
  return {kept + s.queries, kept, kept, rows - kept, before - kept};
}

int64_t group_place(const RunContext& ctx, const GroupShape& s, int64_t b, int64_t t) {
  if (!ctx.has_input(kGroupPositions)) {
    const GroupLengths n = group_lengths(ctx, s, b);
    return n.place + n.past + t;
  }
  const auto* ids = ctx.input(kGroupPositions).as<int64_t>();
  return s.is_prompt() ? ids[0] + t : ids[b * s.queries + t];
}

namespace {

Status check_places(const RunContext& ctx, const GroupShape& s, int64_t b) {
  const int64_t places = ctx.input(kGroupCos).dim(0);
  for (int64_t t = 0; t < s.queries; ++t) {
    if (ctx.has_input(kGroupPositions)) {
      const int64_t id =
          ctx.input(kGroupPositions).as<int64_t>()[s.is_prompt() ? 0 : b * s.queries + t];
      if (id < 0 || id >= places) return invalid_argument("position ", id, " of ", places);
    }
    const int64_t place = group_place(ctx, s, b, t);
    if (place >= places) return invalid_argument("position ", place, " of ", places);
  }
  return Status::ok();
}

}  // namespace

Status check_group_lengths(const RunContext& ctx, const GroupParams& params, const GroupShape& s) {
  for (int64_t b = 0; b < s.batch; ++b) {
    const int64_t keys = int64_t{ctx.input(kGroupLengths).as<int32_t>()[b]} + 1;
    const int64_t before = s.is_prompt() ? 0 : keys - s.queries;
    const int64_t least = s.slides ? s.queries : s.is_prompt() ? 0 : 1;
    const bool has_past = s.slides || before <= s.past;
    if (keys < least || keys > s.total || before < 0 || !has_past) {
      return invalid_argument("seqlens_k has ", keys - 1, " with ", s.queries,
                              " queries, a past of ", s.past, " and total_sequence_length ",
                              s.total);
    }
    if (params.do_rotary != 0) RETURN_IF_ERROR(check_places(ctx, s, b));
  }
  return Status::ok();
}

}  // namespace ortc::cpu
