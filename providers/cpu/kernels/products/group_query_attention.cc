// SPDX-License-Identifier: MIT
// GroupQueryAttention of com.microsoft: attention over a cache of keys and values, several query
// heads to a key head.
//
//   y = softmax(softcap(scale q k^T) + attention_bias) v      over the keys that a query may see
//
// Batch entry b has seqlens_k[b] + 1 keys with the new ones, of which as many as there are queries
// are new, at the end; of a first prompt (as many queries as total_sequence_length) all are. A
// query sees the keys up to its own, local_window_size of them at most. The cache
// [B, key heads, P, H] becomes [B, key heads, max(P, total_sequence_length), H]: what lies behind
// an entry's keys is 0, or stays where the program has bound one buffer as past and present.
#include <limits>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_row.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/products/head_products.h"
#include "providers/cpu/products/rotate.h"

namespace ortc::cpu {
namespace {

enum Input : size_t {
  kQ,
  kK,
  kV,
  kPastKey,
  kPastValue,
  kLengths,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kScoreBias,
  kSink
};
enum Output : size_t { kY, kPresentKey, kPresentValue };

struct GroupParams {
  uint32_t record_bytes;
  uint32_t is_causal, do_rotary, interleaved, smooth;
  float scale;    // 0: 1 / sqrt(size)
  float softcap;  // 0: none
  uint32_t reserved;
  int64_t q_heads, kv_heads;
  int64_t window;  // keys a query sees, its own included; -1: all
};
static_assert(sizeof(GroupParams) == 56);

// --- Prepare.

Status refuse_what_is_missing(const Node& node) {
  for (const std::string_view name : {"sliding_window_cache", "qk_output"}) {
    if (node.int_attribute(name, 0) != 0) return not_implemented("attribute '", name, "'");
  }
  for (const std::string_view name : {"k_quant_type", "v_quant_type"}) {
    const auto type = node.string_attribute(name, "NONE");
    if (type != "NONE" && !type.empty()) {
      return not_implemented("attribute '", name, "' ", type);
    }
  }
  constexpr std::string_view kNames[] = {"k_scale", "v_scale", "q_norm_weight", "k_norm_weight"};
  for (size_t i = 0; i < 4; ++i) {
    if (node.input(kSink + 1 + i) != kNoValue) return not_implemented("input '", kNames[i], "'");
  }
  if (node.output(3) != kNoValue) return not_implemented("output 'output_qk'");
  return Status::ok();
}

Status prepare_group(PrepareContext& ctx) {
  const Node& node = ctx.node();
  RETURN_IF_ERROR(refuse_what_is_missing(node));
  const auto flag = [&node](std::string_view name, int64_t otherwise) {
    return node.int_attribute(name, otherwise) != 0 ? 1u : 0u;
  };
  GroupParams params{};
  params.record_bytes = sizeof params;
  params.is_causal = flag("causal", 1);
  params.do_rotary = flag("do_rotary", 0);
  params.interleaved = flag("rotary_interleaved", 0);
  params.smooth = node.int_attribute("smooth_softmax", 0) == 1 ? 1 : 0;
  params.scale = node.float_attribute("scale", 0.0f);
  params.softcap = node.float_attribute("softcap", 0.0f);
  params.q_heads = node.int_attribute("num_heads", 0);
  params.kv_heads = node.int_attribute("kv_num_heads", 0);
  params.window = node.int_attribute("local_window_size", -1);
  if (params.q_heads < 1 || params.kv_heads < 1 || params.q_heads % params.kv_heads != 0) {
    return invalid_graph("attribute 'num_heads' is ", params.q_heads, ", 'kv_num_heads' ",
                         params.kv_heads);
  }
  if (params.is_causal == 0 && params.window != -1) {
    return invalid_graph("attribute 'local_window_size' is ", params.window, " without 'causal'");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct GroupShape {
  int64_t batch, q_heads, kv_heads, queries, size;
  int64_t past, total, present;  // lengths: of the cache given, of the longest entry, of the result
  int64_t half;                  // pairs that are turned
  bool is_packed;                // queries, keys and values in one tensor

  int64_t group() const { return q_heads / kv_heads; }
  bool is_prompt() const { return queries == total; }
  // So few queries, as when tokens come one by one, that keys and values are read where they lie.
  bool is_few() const { return group() * queries <= 8; }
  // Scores of a query lie so far apart: the scratch stays the same while tokens come one by one.
  int64_t score_room() const { return is_few() ? (total + 255) / 256 * 256 : total; }
  HeadSizes products(int64_t heads, int64_t keys) const {
    return {heads, group() * queries, keys, size, size};
  }
};

bool has_dims(const ValueRef& x, std::initializer_list<int64_t> dims) {
  return std::equal(dims.begin(), dims.end(), x.dims().begin(), x.dims().end());
}

Status refuse(std::string_view name, const ValueRef& found) {
  return invalid_argument(name, " has shape ", dims_to_string(found.dims()),
                          ", which does not fit");
}

template <typename Context>
Status take_cache(const Context& ctx, GroupShape* s) {
  if (ctx.has_input(kPastKey) != ctx.has_input(kPastValue)) {
    return invalid_argument("past_key and past_value come together");
  }
  if (ctx.has_input(kPastKey)) {
    const ValueRef &key = ctx.input(kPastKey), &value = ctx.input(kPastValue);
    s->past = key.rank == 4 ? key.dim(2) : 0;
    if (!has_dims(key, {s->batch, s->kv_heads, s->past, s->size})) return refuse("past_key", key);
    if (!std::ranges::equal(key.dims(), value.dims())) return refuse("past_value", value);
  }
  ASSIGN_OR_RETURN(s->total, read_int(ctx.input(kTotal), "total_sequence_length"));
  if (s->total < s->queries || s->total > std::numeric_limits<int32_t>::max()) {
    return invalid_argument("total_sequence_length is ", s->total, " for ", s->queries, " queries");
  }
  s->present = std::max(s->past, s->total);
  return Status::ok();
}

template <typename Context>
Status take_angles(const Context& ctx, const GroupParams& params, GroupShape* s) {
  if (params.do_rotary == 0) return Status::ok();
  if (!ctx.has_input(kCos) || !ctx.has_input(kSin)) {
    return invalid_argument("attribute 'do_rotary' needs cos_cache and sin_cache");
  }
  const ValueRef &cos = ctx.input(kCos), &sin = ctx.input(kSin);
  if (cos.rank != 2 || cos.dim(1) > s->size / 2) return refuse("cos_cache", cos);
  if (!std::ranges::equal(cos.dims(), sin.dims())) return refuse("sin_cache", sin);
  s->half = cos.dim(1);
  return Status::ok();
}

template <typename Context>
Result<GroupShape> group_shape(const Context& ctx, const GroupParams& params) {
  const ValueRef& q = ctx.input(kQ);
  if (q.rank != 3) return refuse("query", q);
  if (ctx.has_input(kK) != ctx.has_input(kV)) {
    return invalid_argument("key and value come together");
  }
  GroupShape s{};
  s.batch = q.dim(0), s.queries = q.dim(1);
  s.q_heads = params.q_heads, s.kv_heads = params.kv_heads;
  s.is_packed = !ctx.has_input(kK);
  const int64_t heads = s.q_heads + (s.is_packed ? 2 * s.kv_heads : 0);
  if (q.dim(2) % heads != 0) return refuse("query", q);
  s.size = q.dim(2) / heads;
  for (const size_t i : {kK, kV}) {
    if (!s.is_packed && !has_dims(ctx.input(i), {s.batch, s.queries, s.kv_heads * s.size})) {
      return refuse(i == kK ? "key" : "value", ctx.input(i));
    }
  }
  RETURN_IF_ERROR(take_cache(ctx, &s));
  RETURN_IF_ERROR(take_angles(ctx, params, &s));
  return s;
}

Status check_rest(const BindContext& ctx, const GroupShape& s) {
  if (ctx.input(kLengths).element_count() != s.batch) {
    return refuse("seqlens_k", ctx.input(kLengths));
  }
  if (ctx.has_input(kPositions) && !has_dims(ctx.input(kPositions), {s.batch, s.queries})) {
    return refuse("position_ids", ctx.input(kPositions));
  }
  if (ctx.has_input(kSink) && !has_dims(ctx.input(kSink), {s.q_heads})) {
    return refuse("head_sink", ctx.input(kSink));
  }
  const ValueRef& bias = ctx.input(kScoreBias);
  if (!ctx.has_input(kScoreBias)) return Status::ok();
  const bool fits = bias.rank == 4 && (bias.dim(0) == 1 || bias.dim(0) == s.batch) &&
                    (bias.dim(1) == 1 || bias.dim(1) == s.q_heads) && bias.dim(2) == s.queries &&
                    bias.dim(3) == s.total;
  return fits ? Status::ok() : refuse("attention_bias", bias);
}

struct GroupScratch {
  uint64_t q, keys, values, scores, y, products;
};

template <typename Context>
GroupScratch lay_out(const Context& ctx, const GroupShape& s, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  const auto kept = [&](size_t output) { return ctx.has_output(output) ? int64_t{0} : s.present; };
  GroupScratch scratch{};
  scratch.q = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.size}));
  scratch.keys = plan->add<float>(count({s.batch, s.kv_heads, kept(kPresentKey), s.size}));
  scratch.values = plan->add<float>(count({s.batch, s.kv_heads, kept(kPresentValue), s.size}));
  scratch.scores = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.score_room()}));
  scratch.y = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.size}));
  scratch.products = plan->add<std::byte>(
      s.is_few()
          ? 0
          : head_product_scratch(s.products(s.batch * s.kv_heads, s.total), ctx.thread_count()));
  return scratch;
}

Status bind_group(BindContext& ctx) {
  const auto* params = ctx.params<GroupParams>();
  if (params == nullptr) return ctx.bad_params();
  constexpr int64_t kMost = int64_t{1} << 30;
  if (params->q_heads < 1 || params->kv_heads < 1 || params->q_heads > kMost ||
      params->q_heads % params->kv_heads != 0) {
    return invalid_graph("its params record is damaged");
  }
  RETURN_IF_ERROR(check_arity(ctx, 0, 16));
  for (size_t i = kSink + 1; i < 16; ++i) {
    if (ctx.has_input(i)) return not_implemented("input ", i);
  }
  for (const size_t i : {kQ, kLengths, kTotal}) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
  }
  for (const size_t i : {kQ, kK, kV, kPastKey, kPastValue, kCos, kSin, kScoreBias, kSink}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  RETURN_IF_ERROR(check_type(ctx, kLengths, mask_of(DType::kInt32)));
  RETURN_IF_ERROR(check_type(ctx, kTotal, mask_of(DType::kInt32)));
  RETURN_IF_ERROR(check_type(ctx, kPositions, mask_of(DType::kInt64)));
  ASSIGN_OR_RETURN(const GroupShape s, group_shape(ctx, *params));
  RETURN_IF_ERROR(check_rest(ctx, s));
  if (s.batch > kMost) return invalid_argument("a batch of ", s.batch);
  RETURN_IF_ERROR(ctx.set_output(kY, DType::kFloat32, {s.batch, s.queries, s.q_heads * s.size}));
  for (const size_t i : {kPresentKey, kPresentValue}) {
    if (!ctx.has_output(i)) continue;
    RETURN_IF_ERROR(ctx.set_output(i, DType::kFloat32, {s.batch, s.kv_heads, s.present, s.size}));
  }
  ScratchPlan plan;
  lay_out(ctx, s, &plan);
  return plan.declare(ctx);
}

// --- Run.

// How many keys batch entry b has, the new ones included, and how many before them.
struct Lengths {
  int64_t keys, past;
};
Lengths lengths_of(const RunContext& ctx, const GroupShape& s, int64_t b) {
  const int64_t keys = int64_t{ctx.input(kLengths).as<int32_t>()[b]} + 1;
  return {keys, s.is_prompt() ? 0 : keys - s.queries};
}
int64_t place_of(const RunContext& ctx, const GroupShape& s, int64_t b, int64_t t) {
  if (!ctx.has_input(kPositions)) return lengths_of(ctx, s, b).past + t;
  const auto* ids = ctx.input(kPositions).as<int64_t>();
  return s.is_prompt() ? ids[0] + t : ids[b * s.queries + t];
}

Status check_lengths(const RunContext& ctx, const GroupParams& params, const GroupShape& s) {
  const int64_t places = params.do_rotary != 0 ? ctx.input(kCos).dim(0) : 0;
  for (int64_t b = 0; b < s.batch; ++b) {
    const Lengths n = lengths_of(ctx, s, b);
    const bool fits =
        n.keys >= (s.is_prompt() ? 0 : 1) && n.keys <= s.total && n.past >= 0 && n.past <= s.past;
    if (!fits) {
      return invalid_argument("seqlens_k has ", n.keys - 1, " with ", s.queries,
                              " queries, a past of ", s.past, " and total_sequence_length ",
                              s.total);
    }
    if (params.do_rotary == 0) continue;
    for (int64_t t = 0; t < s.queries; ++t) {
      if (ctx.has_input(kPositions)) {
        const int64_t id =
            ctx.input(kPositions).as<int64_t>()[s.is_prompt() ? 0 : b * s.queries + t];
        if (id < 0 || id >= places) return invalid_argument("position ", id, " of ", places);
      }
      const int64_t place = place_of(ctx, s, b, t);
      if (place >= places) return invalid_argument("position ", place, " of ", places);
    }
  }
  return Status::ok();
}

// Queries, or new keys, turned by the angles of their places; `to` begins `first(b)` in sequences
// of `total`.
template <typename First>
void turn(const RunContext& ctx, const GroupParams& params, const GroupShape& s, int64_t heads,
          float* to, int64_t total, First&& first) {
  if (params.do_rotary == 0 || s.size == 0) return;
  const auto *cos = ctx.input(kCos).as<float>(), *sin = ctx.input(kSin).as<float>();
  const Rotation rotation{s.size, s.half, params.interleaved != 0};
  const HeadDims dims{s.batch, heads, s.queries, s.size};
  ctx.parallel_for(dims.rows(), dims.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / (heads * s.queries), h = i / s.queries % heads, t = i % s.queries;
      float* x = to + ((b * heads + h) * total + first(b) + t) * s.size;
      const int64_t at = place_of(ctx, s, b, t) * s.half;
      rotate(x, cos + at, sin + at, rotation, x);
    }
  });
}

// The heads of queries (part 0), keys (1) or values (2) in the inputs.
PackedHeads<float> part_of(const RunContext& ctx, const GroupShape& s, int64_t part) {
  if (s.is_packed) {
    const int64_t before = part == 0 ? 0 : s.q_heads + (part - 1) * s.kv_heads;
    return {ctx.input(kQ).as<float>() + before * s.size, (s.q_heads + 2 * s.kv_heads) * s.size,
            s.size};
  }
  const int64_t heads = part == 0 ? s.q_heads : s.kv_heads;
  return {ctx.input(static_cast<size_t>(part)).as<float>(), heads * s.size, s.size};
}

// One head of the cache: what was there, the new rows, and zeros.
void fill_head(const GroupShape& s, const Lengths& n, const float* past, float* to,
               const PackedHeads<float>& added, int64_t first_row) {
  if (past != to) {
    if (past != nullptr) std::copy_n(past, n.past * s.size, to);
    const int64_t used = n.past + s.queries;
    std::fill_n(to + used * s.size, (s.present - used) * s.size, 0.0f);
  }
  for (int64_t t = 0; t < s.queries; ++t) {
    std::copy_n(added.data + (first_row + t) * added.row_stride, s.size,
                to + (n.past + t) * s.size);
  }
}

// The cache of keys (part 1) or values (2) with the new ones.
float* fill_cache(const RunContext& ctx, const GroupShape& s, int64_t part, uint64_t scratch) {
  const size_t output = part == 1 ? kPresentKey : kPresentValue;
  const size_t input = part == 1 ? kPastKey : kPastValue;
  float* to = ctx.has_output(output) ? ctx.output(output).as_mutable<float>()
                                     : scratch_at<float>(ctx, scratch);
  const float* past = ctx.has_input(input) ? ctx.input(input).as<float>() : nullptr;
  if (s.size == 0) return to;
  ctx.parallel_for(s.batch * s.kv_heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / s.kv_heads, h = i % s.kv_heads;
      PackedHeads<float> added = part_of(ctx, s, part);
      added.data += h * s.size;
      fill_head(s, lengths_of(ctx, s, b), past != nullptr ? past + i * s.past * s.size : nullptr,
                to + i * s.present * s.size, added, b * s.queries);
    }
  });
  return to;
}

// y = exp(x - top) / (sum + exp(sink - top)): a sink is a score that weighs no value.
void softmax_with_sink(const VectorF32Kernels& vector, float sink, float* x, int64_t n) {
  const auto count = static_cast<size_t>(n);
  const float top = std::max(vector.maximum(x, count), sink);
  vector.sub_scalar(x, top, x, count);
  vector.exp(x, x, count);
  vector.mul_scalar(x, 1.0f / (vector.sum(x, count) + std::exp(sink - top)), x, count);
}

// The scores of one query over the first `keys` keys become weights.
void weigh_row(const RunContext& ctx, const GroupParams& params, const GroupShape& s, int64_t b,
               int64_t h, int64_t t, float* row) {
  const VectorF32Kernels& vector = vector_kernels(ctx);
  const Lengths n = lengths_of(ctx, s, b);
  const int64_t own = n.past + t + 1;
  const int64_t end = params.is_causal != 0 ? std::min(own, n.keys) : n.keys;
  int64_t begin = 0;
  if (params.window > 0) begin = std::clamp<int64_t>(own - params.window, 0, end);
  float* seen = row + begin;
  const auto count = static_cast<size_t>(end - begin);
  if (params.softcap > 0) {
    vector.div_scalar(seen, params.softcap, seen, count);
    vector.tanh(seen, seen, count);
    vector.mul_scalar(seen, params.softcap, seen, count);
  }
  if (ctx.has_input(kScoreBias)) {
    const ValueRef& bias = ctx.input(kScoreBias);
    const int64_t at = bias.dim(0) == 1 ? 0 : b, head = bias.dim(1) == 1 ? 0 : h;
    const float* added =
        bias.as<float>() + ((at * bias.dim(1) + head) * s.queries + t) * s.total + begin;
    vector.add(seen, added, seen, count);
  }
  if (ctx.has_input(kSink)) {
    softmax_with_sink(vector, ctx.input(kSink).as<float>()[h], seen, end - begin);
  } else if (params.smooth != 0) {
    softmax_with_sink(vector, 0.0f, seen, end - begin);
  } else if (count > 0) {
    softmax_row(vector, seen, end - begin);
  }
  std::fill(row, seen, 0.0f);
  std::fill(row + end, row + n.keys, 0.0f);
}

// Both products for `heads` key heads from `first` on, all over the same number of keys; the heads
// of the cache lie `present` keys apart, so they go together only where all of it is in use.
struct Part {
  int64_t first, heads, keys;
};

void attend(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
            const GroupScratch& scratch, const float* keys, const float* values, const Part& part) {
  const HeadSizes sizes = s.products(part.heads, part.keys);
  const float* q = scratch_at<float>(ctx, scratch.q) + part.first * sizes.rows * s.size;
  float* scores = scratch_at<float>(ctx, scratch.scores) + part.first * sizes.rows * s.total;
  float* y = scratch_at<float>(ctx, scratch.y) + part.first * sizes.rows * s.size;
  const float scale =
      params.scale != 0 ? params.scale : 1.0f / std::sqrt(static_cast<float>(s.size));
  multiply_heads(ctx, score_product(sizes), q, keys + part.first * s.present * s.size, scale,
                 scores, scratch.products);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 2 / std::max<int64_t>(1, part.keys));
  ctx.parallel_for(part.heads * sizes.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = part.first * sizes.rows + i;  // of [batch, heads, queries]
      weigh_row(ctx, params, s, row / (s.q_heads * s.queries), row / s.queries % s.q_heads,
                row % s.queries, scores + i * part.keys);
    }
  });
  multiply_heads(ctx, value_product(sizes), static_cast<const float*>(scores),
                 values + part.first * s.present * s.size, 1.0f, y, scratch.products);
}

// One key head of batch entry b, for few queries.
void attend_head(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                 const float* q, const float* keys, const float* values, int64_t b, int64_t head,
                 float* scores, float* y) {
  const GemmF32Kernels& gemm = gemm_f32_kernels(ctx.isa());
  const Lengths n = lengths_of(ctx, s, b);
  const int64_t rows = s.group() * s.queries, room = s.score_room();
  const auto size = static_cast<size_t>(s.size), end = static_cast<size_t>(n.keys);
  // What the first query's window leaves out, all leave out.
  const auto begin = static_cast<size_t>(
      params.window > 0 ? std::clamp<int64_t>(n.past + 1 - params.window, 0, n.keys) : 0);
  if (begin == end) {
    std::fill_n(y, rows * s.size, 0.0f);
    return;
  }
  gemm.dot_rows(q, size, static_cast<size_t>(rows), keys, size, begin, end, size, scores,
                static_cast<size_t>(room));
  const VectorF32Kernels& vector = vector_kernels(ctx);
  const float scale =
      params.scale != 0 ? params.scale : 1.0f / std::sqrt(static_cast<float>(s.size));
  for (int64_t r = 0; r < rows; ++r) {
    float* row = scores + r * room;
    vector.mul_scalar(row + begin, scale, row + begin, end - begin);
    weigh_row(ctx, params, s, b, head * s.group() + r / s.queries, r % s.queries, row);
    gemm.row_times(row + begin, values + begin * size, size, 0, size, end - begin, y + r * s.size);
  }
}

void attend_few(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                const GroupScratch& scratch, const float* keys, const float* values) {
  const int64_t rows = s.group() * s.queries;
  const int64_t work = std::max<int64_t>(1, 2 * rows * s.total * s.size);
  const int64_t grain = std::max<int64_t>(1, 8 * kElementGrain / work);
  ctx.parallel_for(s.batch * s.kv_heads, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      attend_head(ctx, params, s, scratch_at<float>(ctx, scratch.q) + i * rows * s.size,
                  keys + i * s.present * s.size, values + i * s.present * s.size, i / s.kv_heads,
                  i % s.kv_heads,
                  scratch_at<float>(ctx, scratch.scores) + i * rows * s.score_room(),
                  scratch_at<float>(ctx, scratch.y) + i * rows * s.size);
    }
  });
}

bool uses_whole_cache(const RunContext& ctx, const GroupShape& s) {
  bool all = s.present == s.total;
  for (int64_t b = 0; b < s.batch; ++b) all = all && lengths_of(ctx, s, b).keys == s.total;
  return all;
}

Status run_group(RunContext& ctx) {
  const auto& params = ctx.params<GroupParams>();
  ASSIGN_OR_RETURN(const GroupShape s, group_shape(ctx, params));
  ScratchPlan plan;
  const GroupScratch scratch = lay_out(ctx, s, &plan);
  RETURN_IF_ERROR(check_lengths(ctx, params, s));
  const HeadDims queries{s.batch, s.q_heads, s.queries, s.size};
  float* q = scratch_at<float>(ctx, scratch.q);
  split_heads(ctx, part_of(ctx, s, 0), queries, q);
  turn(ctx, params, s, s.q_heads, q, s.queries, [](int64_t) { return int64_t{0}; });
  float* keys = fill_cache(ctx, s, 1, scratch.keys);
  turn(ctx, params, s, s.kv_heads, keys, s.present,
       [&](int64_t b) { return lengths_of(ctx, s, b).past; });
  const float* values = fill_cache(ctx, s, 2, scratch.values);
  if (ctx.output(kY).element_count() == 0) return Status::ok();
  if (s.is_few()) {
    attend_few(ctx, params, s, scratch, keys, values);
  } else if (uses_whole_cache(ctx, s)) {
    attend(ctx, params, s, scratch, keys, values, {0, s.batch * s.kv_heads, s.total});
  } else {
    for (int64_t i = 0; i < s.batch * s.kv_heads; ++i) {
      const int64_t used = lengths_of(ctx, s, i / s.kv_heads).keys;
      attend(ctx, params, s, scratch, keys, values, {i, 1, used});
    }
  }
  join_heads<float>(ctx, scratch_at<float>(ctx, scratch.y), queries,
                    ctx.output(kY).as_mutable<float>());
  return Status::ok();
}

}  // namespace

KernelTable group_query_attention_kernels() {
  static constexpr KernelRow kGroupRow(
      "GroupQueryAttention", "com.microsoft", 1, kLatestOpset, mask_of(DType::kFloat32),
      "group_query_attention.f32", 1, kNoFlags, 1u << kTotal, prepare_group, bind_group, run_group);
  static constexpr KernelRow rows[] = {
      kGroupRow,
      reduced_row<kGroupRow>("GroupQueryAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
