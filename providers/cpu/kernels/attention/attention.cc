// SPDX-License-Identifier: MIT
// Attention: for every query head
//
//   scores = scale q k^T;  scores = softcap tanh(scores / softcap);  p = softmax(scores + bias)
//   y = p v
//
// Queries, keys and values are [batch, heads, sequence, size] or [batch, sequence, heads * size].
// Several query heads may share a key head: those follow each other, so a key head's queries are
// the rows of one product. The bias is the mask given, -inf where it ends early, where keys lie
// after the query (is_causal), outside its window, or in the padding. A mask of opset 23 does not
// end early: where it has one number, that one serves all keys. A row whose bias is -inf throughout
// gives zeros.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/attention/head_products.h"

namespace ortc::cpu {
namespace {

using AttentionTypes = TypeList<float, double>;
enum ScoreOutput : uint32_t { kRaw = 0, kCapped = 1, kBiased = 2, kSoftmax = 3 };
enum Input : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kKeyCount };
enum Output : size_t { kY, kPresentKey, kPresentValue, kScores };

struct AttentionParams {
  uint32_t record_bytes;
  uint32_t is_causal;
  uint32_t score_output;              // ScoreOutput
  float scale;                        // 0: 1 / sqrt(size)
  float softcap;                      // 0: none
  uint32_t repeats_mask;              // not 0: a mask over one key serves all
  int64_t q_heads, kv_heads;          // of inputs of rank 3
  int64_t left_window, right_window;  // -1: none
};
static_assert(sizeof(AttentionParams) == 56);

// --- Prepare.

Status prepare_attention(PrepareContext& ctx) {
  const Node& node = ctx.node();
  AttentionParams params{};
  params.record_bytes = sizeof params;
  params.is_causal = node.int_attribute("is_causal", 0) != 0 ? 1 : 0;
  const int64_t mode = node.int_attribute("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > kSoftmax) {
    return invalid_graph("attribute 'qk_matmul_output_mode' is ", mode, ", expected 0 to 3");
  }
  params.score_output = static_cast<uint32_t>(mode);
  params.scale = node.float_attribute("scale", 0.0f);
  if (node.attribute("scale") != nullptr && !(params.scale > 0)) {
    return invalid_graph("attribute 'scale' is ", params.scale, ", expected more than 0");
  }
  params.softcap = node.float_attribute("softcap", 0.0f);
  params.q_heads = node.int_attribute("q_num_heads", 0);
  params.kv_heads = node.int_attribute("kv_num_heads", 0);
  params.left_window = node.int_attribute("left_window_size", -1);
  params.right_window = node.int_attribute("right_window_size", -1);
  params.repeats_mask = node.opset() < 24 ? 1 : 0;
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct AttentionShape {
  int64_t batch, q_heads, kv_heads, queries, new_keys, past, keys, size, value_size;
  bool is_packed;
};

// [batch, heads, sequence, size] of an input of rank 3 or 4.
Result<DimList> head_dims(const ValueRef& x, int64_t heads) {
  if (x.rank == 4) return DimList(x.dims());
  if (x.rank != 3 || heads < 1 || x.dim(2) % heads != 0) {
    return invalid_argument("an input of shape ", dims_to_string(x.dims()), " with ", heads,
                            " heads");
  }
  DimList dims;
  for (const int64_t dim : {x.dim(0), heads, x.dim(1), x.dim(2) / heads}) dims.push_back(dim);
  return dims;
}

template <typename Context>
Result<AttentionShape> attention_shape(const Context& ctx, const AttentionParams& params) {
  ASSIGN_OR_RETURN(const DimList q, head_dims(ctx.input(kQ), params.q_heads));
  ASSIGN_OR_RETURN(const DimList k, head_dims(ctx.input(kK), params.kv_heads));
  ASSIGN_OR_RETURN(const DimList v, head_dims(ctx.input(kV), params.kv_heads));
  AttentionShape s{q[0], q[1], k[1], q[2], k[2], 0, k[2], q[3], v[3], ctx.input(kQ).rank == 3};
  const bool fits = k[0] == s.batch && v[0] == s.batch && v[1] == s.kv_heads &&
                    v[2] == s.new_keys && k[3] == s.size && s.kv_heads > 0 &&
                    s.q_heads % s.kv_heads == 0 && s.size > 0;
  if (!fits) {
    return invalid_argument("queries ", dims_to_string(q), ", keys ", dims_to_string(k),
                            " and values ", dims_to_string(v), " do not fit");
  }
  if (ctx.has_input(kPastKey) != ctx.has_input(kPastValue)) {
    return invalid_argument("past keys and past values come together");
  }
  if (ctx.has_input(kPastKey)) {
    const auto past_key = ctx.input(kPastKey).dims(), past_value = ctx.input(kPastValue).dims();
    const bool past_fits = past_key.size() == 4 && past_value.size() == 4 &&
                           past_key[0] == s.batch && past_key[1] == s.kv_heads &&
                           past_key[3] == s.size && past_value[0] == s.batch &&
                           past_value[1] == s.kv_heads && past_value[2] == past_key[2] &&
                           past_value[3] == s.value_size;
    if (!past_fits) {
      return invalid_argument("past keys ", dims_to_string(past_key), " and values ",
                              dims_to_string(past_value), " do not fit");
    }
    s.past = past_key[2];
    const auto keys = checked_add(s.past, s.new_keys);
    if (!keys) return invalid_argument("too many keys");
    s.keys = *keys;
  }
  return s;
}

bool repeats_mask(const AttentionParams& params, const ValueRef& mask) {
  return params.repeats_mask != 0 && mask.dim(mask.rank - 1) == 1;
}

Status check_mask(const BindContext& ctx, const AttentionParams& params, const AttentionShape& s) {
  if (!ctx.has_input(kMask)) return Status::ok();
  const ValueRef& mask = ctx.input(kMask);
  const int64_t wanted[4] = {s.batch, s.q_heads, s.queries, s.keys};
  bool fits = mask.rank >= 1 && mask.rank <= 4;
  for (size_t d = 0; fits && d + 1 < mask.rank; ++d) {
    fits = mask.dim(d) == 1 || mask.dim(d) == wanted[4 - mask.rank + d];
  }
  if (fits) {
    const int64_t last = mask.dim(mask.rank - 1);
    const bool may_end_early = params.repeats_mask == 0;
    fits = last == s.keys || repeats_mask(params, mask) || (may_end_early && last < s.keys);
  }
  if (fits) return Status::ok();
  return invalid_argument("a mask of shape ", dims_to_string(mask.dims()),
                          " does not broadcast to [", s.batch, ",", s.q_heads, ",", s.queries, ",",
                          s.keys, "]");
}

HeadSizes head_sizes(const AttentionShape& s) {
  return {s.batch * s.kv_heads, s.q_heads / s.kv_heads * s.queries, s.keys, s.size, s.value_size};
}

// Parts that are not needed have size 0.
struct AttentionScratch {
  uint64_t q, keys, values, scores, y, products;
};

template <typename Context>
Result<AttentionScratch> lay_out(const Context& ctx, const AttentionShape& s, ScratchPlan* plan) {
  const DType dtype = ctx.input(kQ).dtype;
  const size_t bytes = element_bytes(dtype);
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  AttentionScratch scratch{};
  const bool moves_keys = (s.past > 0 || ctx.input(kK).rank == 3) && !ctx.has_output(kPresentKey);
  const bool moves_values =
      (s.past > 0 || ctx.input(kV).rank == 3) && !ctx.has_output(kPresentValue);
  scratch.q = plan->add(s.is_packed ? count({s.batch, s.q_heads, s.queries, s.size}) : 0, bytes);
  scratch.keys = plan->add(moves_keys ? count({s.batch, s.kv_heads, s.keys, s.size}) : 0, bytes);
  scratch.values =
      plan->add(moves_values ? count({s.batch, s.kv_heads, s.keys, s.value_size}) : 0, bytes);
  scratch.scores = plan->add(count({s.batch, s.q_heads, s.queries, s.keys}), bytes);
  scratch.y =
      plan->add(s.is_packed ? count({s.batch, s.q_heads, s.queries, s.value_size}) : 0, bytes);
  if (dtype == DType::kFloat32) {
    scratch.products =
        plan->template add<std::byte>(head_product_scratch(head_sizes(s), ctx.thread_count()));
  }
  return scratch;
}

Status bind_attention(BindContext& ctx) {
  const auto* params = ctx.params<AttentionParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->score_output > kSoftmax)
    return damaged_params("it gives scores of form ", params->score_output);
  RETURN_IF_ERROR(check_arity(ctx, 3, 7));
  RETURN_IF_ERROR(check_type(ctx, kQ, AttentionTypes::kMask));
  for (const size_t i : {kK, kV, kPastKey, kPastValue}) {
    RETURN_IF_ERROR(check_same_type(ctx, i, kQ));
  }
  RETURN_IF_ERROR(check_type(ctx, kMask, mask_of(DType::kBool, ctx.input(kQ).dtype)));
  RETURN_IF_ERROR(check_type(ctx, kKeyCount, mask_of(DType::kInt64)));
  ASSIGN_OR_RETURN(const AttentionShape s, attention_shape(ctx, *params));
  RETURN_IF_ERROR(check_mask(ctx, *params, s));
  if (ctx.has_input(kKeyCount) && ctx.input(kKeyCount).element_count() != s.batch) {
    return invalid_argument("the numbers of keys have shape ",
                            dims_to_string(ctx.input(kKeyCount).dims()), ", expected ", s.batch);
  }
  const DType dtype = ctx.input(kQ).dtype;
  const DimList y = DimList(
      s.is_packed
          ? std::span<const int64_t>(std::array{s.batch, s.queries, s.q_heads * s.value_size})
          : std::span<const int64_t>(std::array{s.batch, s.q_heads, s.queries, s.value_size}));
  RETURN_IF_ERROR(ctx.set_output(kY, dtype, y));
  if (ctx.has_output(kPresentKey)) {
    RETURN_IF_ERROR(ctx.set_output(kPresentKey, dtype, {s.batch, s.kv_heads, s.keys, s.size}));
  }
  if (ctx.has_output(kPresentValue)) {
    RETURN_IF_ERROR(
        ctx.set_output(kPresentValue, dtype, {s.batch, s.kv_heads, s.keys, s.value_size}));
  }
  if (ctx.has_output(kScores)) {
    RETURN_IF_ERROR(ctx.set_output(kScores, dtype, {s.batch, s.q_heads, s.queries, s.keys}));
  }
  ScratchPlan plan;
  RETURN_IF_ERROR(lay_out(ctx, s, &plan).status());
  return plan.declare(ctx);
}

// --- Arithmetic: one row of scores.

// What is added to it: -inf for the keys that the query does not see, the mask's numbers for those
// that it does.
template <typename T>
struct RowBias {
  const T* numbers = nullptr;      // of a float mask
  const Bool8* is_seen = nullptr;  // of a bool mask
  bool is_one = false;             // either has one for all keys
  int64_t first = 0, end = 0;      // keys that the query may see

  // Leaves what is outside [first, end) as it is. Whether anything but -inf is inside.
  bool add(const VectorF32Kernels& vector, T* row) const {
    if (first >= end) return false;
    if (is_one) return add_one(row);
    if (is_seen != nullptr) return hide(row);
    return numbers == nullptr || add_numbers(vector, row);
  }

 private:
  static constexpr T kNever = -std::numeric_limits<T>::infinity();

  bool add_one(T* row) const {
    const T number = is_seen == nullptr ? *numbers : is_seen->byte != 0 ? T(0) : kNever;
    for (int64_t j = first; j < end; ++j) row[j] += number;
    return number != kNever;
  }
  bool hide(T* row) const {
    unsigned any = 0;
    for (int64_t j = first; j < end; ++j) {
      const unsigned seen = is_seen[j].byte;
      row[j] = seen != 0 ? row[j] : kNever;
      any |= seen;
    }
    return any != 0;
  }
  bool add_numbers(const VectorF32Kernels& vector, float* row) const {
    const auto n = static_cast<size_t>(end - first);
    vector.add(row + first, numbers + first, row + first, n);
    return std::any_of(numbers + first, numbers + end, [](float x) { return x != kNever; });
  }
  bool add_numbers(const VectorF32Kernels&, double* row) const {
    for (int64_t j = first; j < end; ++j) row[j] += numbers[j];
    return std::any_of(numbers + first, numbers + end, [](double x) { return x != kNever; });
  }
};

void cap_row(const VectorF32Kernels& vector, float cap, float* row, int64_t n) {
  const auto count = static_cast<size_t>(n);
  vector.div_scalar(row, cap, row, count);
  vector.tanh(row, row, count);
  vector.mul_scalar(row, cap, row, count);
}

void cap_row(const VectorF32Kernels&, float cap, double* row, int64_t n) {
  const double wide = cap;
  for (int64_t j = 0; j < n; ++j) row[j] = wide * std::tanh(row[j] / wide);
}

// --- Run.

// Past and new keys (or values) together, one head after the other.
template <typename T>
const T* join_past(const RunContext& ctx, const AttentionShape& s, size_t input, size_t past_input,
                   size_t output, int64_t size, uint64_t offset) {
  const ValueRef& x = ctx.input(input);
  const bool is_output = ctx.has_output(output);
  if (s.past == 0 && x.rank == 4 && !is_output) return x.as<T>();
  T* to = is_output ? ctx.output(output).as_mutable<T>() : scratch_at<T>(ctx, offset);
  HeadDims dims{s.batch, s.kv_heads, s.past, size};
  if (s.past > 0) append_heads(ctx, ctx.input(past_input).as<T>(), dims, to, 0, s.keys);
  dims.sequence = s.new_keys;
  if (x.rank == 4) {
    append_heads(ctx, x.as<T>(), dims, to, s.past, s.keys);
  } else {
    split_heads<T>(ctx, {x.as<T>(), s.kv_heads * size, size}, dims, to, s.past, s.keys);
  }
  return to;
}

template <typename T>
RowBias<T> bias_of(const RunContext& ctx, const AttentionParams& params, const AttentionShape& s,
                   const DimList& mask_strides, int64_t row) {
  const int64_t b = row / (s.q_heads * s.queries), h = row / s.queries % s.q_heads;
  const int64_t t = row % s.queries;
  RowBias<T> bias;
  bias.end = s.keys;
  int64_t place = s.past + t;
  if (ctx.has_input(kKeyCount)) {
    const int64_t count = std::clamp<int64_t>(ctx.input(kKeyCount).as<int64_t>()[b], 0, s.keys);
    place = count - s.queries + t;
    bias.end = count;
  }
  if (params.is_causal != 0) bias.end = std::min(bias.end, place + 1);
  if (params.left_window >= 0) bias.first = std::max<int64_t>(0, place - params.left_window);
  if (params.right_window >= 0 && params.right_window < s.keys) {
    bias.end = std::min(bias.end, place + params.right_window + 1);
  }
  if (!ctx.has_input(kMask)) return bias;
  const ValueRef& mask = ctx.input(kMask);
  bias.is_one = repeats_mask(params, mask);
  if (!bias.is_one) bias.end = std::min(bias.end, mask.dim(mask.rank - 1));
  const int64_t at = b * mask_strides[0] + h * mask_strides[1] + t * mask_strides[2];
  if (mask.dtype == DType::kBool) {
    bias.is_seen = mask.as<Bool8>() + at;
  } else {
    bias.numbers = mask.as<T>() + at;
  }
  return bias;
}

// Strides of the mask by batch, head and query; 0 where it repeats.
DimList mask_strides_of(const RunContext& ctx) {
  DimList strides(3, 0);
  if (!ctx.has_input(kMask)) return strides;
  const ValueRef& mask = ctx.input(kMask);
  const DimList own = row_major_strides(mask.dims());
  for (size_t d = 0; d + 1 < mask.rank; ++d) {
    if (mask.dim(d) != 1) strides[4 - mask.rank + d] = own[d];
  }
  return strides;
}

template <typename T>
class Weighing {
 public:
  Weighing(const RunContext& ctx, const AttentionParams& params, const AttentionShape& s)
      : ctx_(ctx),
        params_(params),
        s_(s),
        vector_(vector_kernels(ctx)),
        mask_strides_(mask_strides_of(ctx)),
        wanted_(ctx.has_output(kScores) ? ctx.output(kScores).as_mutable<T>() : nullptr) {}

  void run(T* scores) const {
    const int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, s_.keys));
    ctx_.parallel_for(s_.batch * s_.q_heads * s_.queries, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_row(i, scores + i * s_.keys);
    });
  }

 private:
  void run_row(int64_t i, T* row) const {
    const RowBias<T> bias = bias_of<T>(ctx_, params_, s_, mask_strides_, i);
    keep(kRaw, i, row);
    if (params_.softcap > 0) cap_row(vector_, params_.softcap, row, s_.keys);
    keep(kCapped, i, row);
    const bool sees_any = bias.add(vector_, row);
    if (wants(kBiased)) {
      fill_outside(bias, row, -std::numeric_limits<T>::infinity());
      keep(kBiased, i, row);
    }
    if (sees_any) {
      fill_outside(bias, row, T(0));
      softmax_row(vector_, row + bias.first, bias.end - bias.first);
    } else {
      std::fill_n(row, s_.keys, T(0));
    }
    keep(kSoftmax, i, row);
  }

  void fill_outside(const RowBias<T>& bias, T* row, T value) const {
    const int64_t first = std::min(bias.first, s_.keys);
    std::fill(row, row + first, value);
    std::fill(row + std::clamp(bias.end, first, s_.keys), row + s_.keys, value);
  }

  bool wants(ScoreOutput stage) const {
    return wanted_ != nullptr && params_.score_output == stage;
  }
  void keep(ScoreOutput stage, int64_t i, const T* row) const {
    if (wants(stage)) std::copy_n(row, s_.keys, wanted_ + i * s_.keys);
  }

  const RunContext& ctx_;
  const AttentionParams& params_;
  const AttentionShape& s_;
  const VectorF32Kernels& vector_;
  const DimList mask_strides_;
  T* const wanted_;  // where scores go, or null
};

template <typename T>
void attend(const RunContext& ctx, const AttentionParams& params, const AttentionShape& s,
            const AttentionScratch& scratch) {
  const T* q = ctx.input(kQ).as<T>();
  if (s.is_packed) {
    T* turned = scratch_at<T>(ctx, scratch.q);
    split_heads<T>(ctx, {q, s.q_heads * s.size, s.size}, {s.batch, s.q_heads, s.queries, s.size},
                   turned);
    q = turned;
  }
  const T* keys = join_past<T>(ctx, s, kK, kPastKey, kPresentKey, s.size, scratch.keys);
  const T* values =
      join_past<T>(ctx, s, kV, kPastValue, kPresentValue, s.value_size, scratch.values);
  T* scores = scratch_at<T>(ctx, scratch.scores);
  const T scale =
      params.scale != 0 ? static_cast<T>(params.scale) : T(1) / std::sqrt(static_cast<T>(s.size));
  const HeadSizes sizes = head_sizes(s);
  multiply_heads(ctx, score_product(sizes), q, keys, scale, scores, scratch.products);
  Weighing<T>(ctx, params, s).run(scores);
  T* y = ctx.output(kY).as_mutable<T>();
  T* joined = s.is_packed ? scratch_at<T>(ctx, scratch.y) : y;
  multiply_heads(ctx, value_product(sizes), static_cast<const T*>(scores), values, T(1), joined,
                 scratch.products);
  if (s.is_packed) join_heads<T>(ctx, joined, {s.batch, s.q_heads, s.queries, s.value_size}, y);
}

Status run_attention(RunContext& ctx) {
  const auto& params = ctx.params<AttentionParams>();
  ASSIGN_OR_RETURN(const AttentionShape s, attention_shape(ctx, params));
  ScratchPlan plan;
  ASSIGN_OR_RETURN(const AttentionScratch scratch, lay_out(ctx, s, &plan));
  with_type(AttentionTypes{}, ctx.input(kQ).dtype,
            [&](auto tag) { attend<typename decltype(tag)::type>(ctx, params, s, scratch); });
  return Status::ok();
}

}  // namespace

KernelTable attention_kernels() {
  static constexpr KernelRow kAttentionRow("Attention", "", 23, kLatestOpset, AttentionTypes::kMask,
                                           "attention", 1, kNoFlags, 0, prepare_attention,
                                           bind_attention, run_attention);
  static constexpr KernelRow rows[] = {
      kAttentionRow,
      reduced_row<kAttentionRow>("Attention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
