// SPDX-License-Identifier: MIT
// Masks, scores and values of com.microsoft's attention operators: see the header.
#include "providers/cpu/kernels/attention/masked_attention.h"

#include <limits>

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

bool has_dims(const ValueRef& x, std::initializer_list<int64_t> dims) {
  return std::equal(dims.begin(), dims.end(), x.dims().begin(), x.dims().end());
}

// A vector of `times` numbers for each batch entry and `more` besides.
bool has_numbers(const ValueRef& x, int64_t times, int64_t more, int64_t batch) {
  const int64_t found = x.rank == 1 ? x.dim(0) - more : -1;
  return found >= 0 && found % times == 0 && found / times == batch;
}

// --- The mask of one query of one batch entry, added to its scores in all heads.

class Mask {
 public:
  Mask(const MaskedParams& params, const MaskedSizes& sizes, const ValueRef& mask, MaskForm form)
      : params_(params),
        s_(sizes),
        ids_(mask.as<int32_t>()),
        form_(form),
        side_(form == MaskForm::kSquare ? mask.dim(3) : 0),
        causal_(params.unidirectional != 0 && sizes.queries > 1) {}

  bool is_needed() const { return form_ != MaskForm::kNone || causal_; }

  void fill(int64_t b, int64_t t, float* row) const {
    std::fill_n(row, s_.keys, 0.0f);
    switch (form_) {
      case MaskForm::kNone:
        break;
      case MaskForm::kEnds:
      case MaskForm::kSequences:
        filter(ids_[b], s_.keys, row);
        break;
      case MaskForm::kEndsStarts:
        filter(ids_[b], s_.keys, row);
        filter(0, ids_[s_.batch + b], row);
        break;
      case MaskForm::kKeys:
        filter_zeros(ids_ + b * s_.keys, row);
        break;
      case MaskForm::kQueriesKeys:
        filter_zeros(ids_ + (b * s_.queries + t) * s_.keys, row);
        break;
      case MaskForm::kSquare:
        filter_zeros(ids_ + (b * side_ + s_.past + t) * side_, row);
        break;
    }
    if (!causal_ || t + 1 == s_.queries) return;
    for (int64_t j = s_.past + t + 1; j < s_.keys; ++j) {
      row[j] += std::numeric_limits<float>::lowest();
    }
  }

 private:
  void filter(int64_t begin, int64_t end, float* row) const {
    begin = std::clamp<int64_t>(begin, 0, s_.keys);
    end = std::clamp<int64_t>(end, begin, s_.keys);
    std::fill(row + begin, row + end, params_.mask_filter_value);
  }
  void filter_zeros(const int32_t* ids, float* row) const {
    for (int64_t j = 0; j < s_.keys; ++j) {
      if (ids[j] <= 0) row[j] = params_.mask_filter_value;
    }
  }

  const MaskedParams& params_;
  const MaskedSizes& s_;
  const int32_t* ids_;
  MaskForm form_;
  int64_t side_;
  bool causal_;
};

// Queries and keys of each batch entry lie where those of a batch without gaps do.
Status check_sequences(const ValueRef& mask, const MaskedSizes& s) {
  const auto* begins = mask.as<int32_t>() + s.batch;
  for (int64_t b = 0; b <= s.batch; ++b) {
    if (begins[b] != b * s.queries || begins[s.batch + 1 + b] != b * s.keys) {
      return not_implemented("a mask of lengths and offsets whose sequences have gaps");
    }
  }
  return Status::ok();
}

void fill_mask(const RunContext& ctx, const Mask& mask, const MaskedSizes& s, float* rows) {
  const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, s.keys));
  ctx.parallel_for(s.batch * s.queries, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      mask.fill(i / s.queries, i % s.queries, rows + i * s.keys);
    }
  });
}

// --- The scores' way from products to weights.

struct Weighing {
  const float* mask;  // [batch, queries, keys], or null
  const ValueRef& bias;
  float* wanted;  // null, or where scores go before softmax
};

const float* bias_row(const ValueRef& bias, const MaskedSizes& s, int64_t b, int64_t h, int64_t t) {
  const int64_t at = bias.dim(0) == 1 ? 0 : b, head = bias.dim(1) == 1 ? 0 : h;
  return bias.as<float>() + ((at * bias.dim(1) + head) * s.queries + t) * s.keys;
}

void weigh(const RunContext& ctx, const MaskedSizes& s, const Weighing& how, float* scores) {
  if (s.keys == 0) return;
  const VectorF32Kernels& vector = vector_kernels(ctx);
  const auto n = static_cast<size_t>(s.keys);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 2 / s.keys);
  ctx.parallel_for(s.batch * s.heads * s.queries, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / (s.heads * s.queries), h = i / s.queries % s.heads;
      const int64_t t = i % s.queries;
      float* row = scores + i * s.keys;
      if (how.bias.is_present()) vector.add(row, bias_row(how.bias, s, b, h, t), row, n);
      if (how.mask != nullptr) vector.add(row, how.mask + (b * s.queries + t) * s.keys, row, n);
      if (how.wanted != nullptr) std::copy_n(row, s.keys, how.wanted + i * s.keys);
      softmax_row(vector, row, s.keys);
    }
  });
}

}  // namespace

MaskedParams masked_params(const Node& node) {
  return {node.float_attribute("scale", 0.0f), node.float_attribute("mask_filter_value", -10000.0f),
          node.int_attribute("unidirectional", 0) != 0 ? 1u : 0u, 0};
}

Status check_masked_sizes(const MaskedSizes& s) {
  constexpr int64_t kMax = int64_t{1} << 56;
  const auto fits = [](std::initializer_list<int64_t> dims) {
    std::optional<int64_t> product = 1;
    for (const int64_t dim : dims) {
      if (product) product = checked_mul(*product, std::max<int64_t>(dim, 1));
    }
    return product && *product < kMax;
  };
  const bool all_fit = fits({s.heads, s.size}) && fits({s.heads, s.value_size}) &&
                       fits({s.batch, s.heads, s.queries}) && fits({s.batch, s.heads, s.keys});
  if (all_fit) return Status::ok();
  return invalid_argument(s.heads, " heads of ", s.batch, " sequences are too many");
}

Result<MaskForm> mask_form_of(const ValueRef& mask, const MaskedSizes& s) {
  if (!mask.is_present()) return MaskForm::kNone;
  if (has_numbers(mask, 1, 0, s.batch)) return MaskForm::kEnds;
  if (has_numbers(mask, 2, 0, s.batch)) return MaskForm::kEndsStarts;
  if (has_numbers(mask, 3, 2, s.batch)) return MaskForm::kSequences;
  if (has_dims(mask, {s.batch, s.keys})) return MaskForm::kKeys;
  if (has_dims(mask, {s.batch, 1}) || has_dims(mask, {1, 1})) return MaskForm::kNone;
  if (has_dims(mask, {s.batch, s.queries, s.keys})) return MaskForm::kQueriesKeys;
  const bool is_square = mask.rank == 4 && mask.dim(0) == s.batch && mask.dim(1) == 1 &&
                         mask.dim(2) == mask.dim(3) && mask.dim(3) >= s.keys &&
                         s.queries <= s.keys - s.past;
  if (is_square) return MaskForm::kSquare;
  return invalid_argument("a mask of shape ", dims_to_string(mask.dims()), " does not fit ",
                          s.queries, " queries and ", s.keys, " keys of ", s.batch, " sequences");
}

Status check_attention_bias(const ValueRef& bias, const MaskedSizes& s) {
  if (!bias.is_present()) return Status::ok();
  const bool fits = bias.rank == 4 && (bias.dim(0) == 1 || bias.dim(0) == s.batch) &&
                    (bias.dim(1) == 1 || bias.dim(1) == s.heads) && bias.dim(2) == s.queries &&
                    bias.dim(3) == s.keys;
  if (fits) return Status::ok();
  return invalid_argument("attention_bias has shape ", dims_to_string(bias.dims()), ", expected [",
                          s.batch, " or 1,", s.heads, " or 1,", s.queries, ",", s.keys, "]");
}

MaskedScratch lay_out_masked(const MaskedSizes& s, int thread_count, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  MaskedScratch scratch{};
  scratch.scores = plan->add<float>(count({s.batch, s.heads, s.queries, s.keys}));
  scratch.mask = plan->add<float>(count({s.batch, s.queries, s.keys}));
  scratch.y = plan->add<float>(count({s.batch, s.heads, s.queries, s.value_size}));
  scratch.products = plan->add<std::byte>(head_product_scratch(s.products(), thread_count));
  return scratch;
}

Status run_masked_attention(const RunContext& ctx, const MaskedParams& params, const MaskedSizes& s,
                            const MaskedScratch& scratch, const MaskedOperands& operands) {
  ASSIGN_OR_RETURN(const MaskForm form, mask_form_of(operands.mask, s));
  if (form == MaskForm::kSequences) RETURN_IF_ERROR(check_sequences(operands.mask, s));
  const Mask mask(params, s, operands.mask, form);
  float* mask_rows = mask.is_needed() ? scratch_at<float>(ctx, scratch.mask) : nullptr;
  if (mask_rows != nullptr && s.keys > 0) fill_mask(ctx, mask, s, mask_rows);
  const float scale =
      params.scale != 0 ? params.scale : 1.0f / std::sqrt(static_cast<float>(s.size));
  float* scores = scratch_at<float>(ctx, scratch.scores);
  multiply_heads(ctx, score_product(s.products()), operands.q, operands.keys, scale, scores,
                 scratch.products);
  weigh(ctx, s, {mask_rows, operands.bias, operands.scores}, scores);
  float* y = scratch_at<float>(ctx, scratch.y);
  multiply_heads(ctx, value_product(s.products()), static_cast<const float*>(scores),
                 operands.values, 1.0f, y, scratch.products);
  join_heads<float>(ctx, y, {s.batch, s.heads, s.queries, s.value_size}, operands.y);
  return Status::ok();
}

}  // namespace ortc::cpu
