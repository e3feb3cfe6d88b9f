// SPDX-License-Identifier: MIT
// Operators of com.microsoft that other operators stand for: element by element, over images whose
// channels come last, transforms, and quantised forms.
#include <algorithm>

#include "core/ops/matmul_shape.h"
#include "core/ops/microsoft/microsoft_families.h"

namespace ortc {
namespace {

Status infer_rank_of_first(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  set_tensor(ctx, 0, input_dtype(ctx, 0),
             x != nullptr ? std::optional<Shape>(unknown_shape(x->size())) : std::nullopt);
  return Status::ok();
}

Status infer_two_like_first(InferContext& ctx) {
  for (size_t i = 0; i < 2; ++i) set_tensor(ctx, i, input_dtype(ctx, 0), shape_copy(ctx, 0));
  return Status::ok();
}
// The same, of an input and the one two behind it.
Status infer_gemma_rotary(InferContext& ctx) {
  for (size_t i = 0; i < 2; ++i) {
    set_tensor(ctx, i, input_dtype(ctx, 1 + 2 * i), shape_copy(ctx, 1 + 2 * i));
  }
  return Status::ok();
}

Status infer_dropout(InferContext& ctx) {
  set_tensor(ctx, 0, input_dtype(ctx, 0), shape_copy(ctx, 0));
  set_tensor(ctx, 1, DType::kBool, shape_copy(ctx, 0));
  return Status::ok();
}
// The mask is a list of words.
Status infer_bitmask_dropout(InferContext& ctx) {
  set_tensor(ctx, 0, input_dtype(ctx, 0), shape_copy(ctx, 0));
  Dim words;
  if (const Shape* x = input_shape(ctx, 0)) {
    const Dim count = product_of(*x);
    const int64_t rest = count.is_known() && count.value % 32 != 0 ? 1 : 0;
    if (count.is_known()) words = Dim::known(count.value / 32 + rest);
  }
  set_tensor(ctx, 1, DType::kUint32, Shape{words});
  return Status::ok();
}

Status infer_broadcast_of_two(InferContext& ctx) {
  return infer_broadcast(ctx, 0, 2, input_dtype(ctx, 0));
}

Status infer_mul_integer(InferContext& ctx) {
  const Shape *a = input_shape(ctx, 0), *b = input_shape(ctx, 2);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    ASSIGN_OR_RETURN(shape, broadcast_shapes(*a, *b));
  }
  set_tensor(ctx, 0, DType::kInt32, std::move(shape));
  return Status::ok();
}

// Signed as soon as one of the matrices is.
Status infer_matmul_integer16(InferContext& ctx) {
  const bool is_unsigned =
      input_dtype(ctx, 0) == DType::kUint16 && input_dtype(ctx, 1) == DType::kUint16;
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, is_unsigned ? DType::kUint32 : DType::kInt32, std::move(shape));
  return Status::ok();
}

Status infer_reduced(InferContext& ctx, DType dtype) {
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    const auto given = ctx.node().ints_attribute("axes");
    ASSIGN_OR_RETURN(const auto axes, checked_axes(given, shape->size()));
    const bool keeps = ctx.node().int_attribute("keepdims", 1) != 0;
    Shape left;
    for (size_t d = 0; d < shape->size(); ++d) {
      const bool is_summed = axes.empty() || std::find(axes.begin(), axes.end(), d) != axes.end();
      if (!is_summed) left.push_back((*shape)[d]);
      if (is_summed && keeps) left.push_back(Dim::known(1));
    }
    shape = std::move(left);
  }
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}
Status infer_sum_integer(InferContext& ctx) {
  const bool is_unsigned = input_dtype(ctx, 0) == DType::kUint8;
  return infer_reduced(ctx, is_unsigned ? DType::kUint32 : DType::kInt32);
}
Status infer_q_mean(InferContext& ctx) { return infer_reduced(ctx, input_dtype(ctx, 0)); }

Status infer_expand_dims(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  const auto axis = known_integers(ctx, 1);
  if (shape && axis && axis->size() == 1) {
    ASSIGN_OR_RETURN(const size_t at, checked_axis((*axis)[0], shape->size() + 1));
    shape->insert(shape->begin() + static_cast<ptrdiff_t>(at), Dim::known(1));
  } else if (shape) {
    shape = unknown_shape(shape->size() + 1);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Values, which of them each element is, and how often each stands.
Status infer_microsoft_unique(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 1));
  set_tensor(ctx, 0, input_dtype(ctx, 0), unknown_shape(1));
  set_tensor(ctx, 1, DType::kInt64, shape_copy(ctx, 0));
  set_tensor(ctx, 2, DType::kInt64, unknown_shape(1));
  return Status::ok();
}

Status infer_microsoft_range(InferContext& ctx) {
  set_tensor(ctx, 0, input_dtype(ctx, 0), unknown_shape(1));
  return Status::ok();
}

Status infer_microsoft_grid_sample(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 4));
  const Shape *x = input_shape(ctx, 0), *grid = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (x != nullptr && grid != nullptr) shape = {(*x)[0], (*x)[1], (*grid)[1], (*grid)[2]};
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_torch_embedding(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  auto shape = shape_copy(ctx, 1);
  const Shape* table = input_shape(ctx, 0);
  if (shape) shape->push_back(table != nullptr ? (*table)[1] : Dim::unknown());
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_q_linear_conv(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  set_tensor(ctx, 0, input_dtype(ctx, 7),
             x != nullptr ? std::optional<Shape>(unknown_shape(x->size())) : std::nullopt);
  return Status::ok();
}

Status infer_matmul_bnb4(InferContext& ctx) {
  const bool turns = ctx.node().int_attribute("transB", 1) != 0;
  const int64_t n = ctx.node().int_attribute("N", 0), k = ctx.node().int_attribute("K", 0);
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    if (shape->empty()) return invalid_graph("input 0 is a scalar");
    shape->back() = Dim::known(turns ? n : k);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// The result, and the cache behind the new keys and values.
Status infer_q_attention(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  const Shape *x = input_shape(ctx, 0), *w = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (x != nullptr) {
    Dim hidden;
    if (w != nullptr && w->size() == 2 && (*w)[1].is_known()) {
      hidden = Dim::known((*w)[1].value / 3);
    }
    shape = {(*x)[0], (*x)[1], hidden};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 3), std::move(shape));
  set_tensor(ctx, 1, input_dtype(ctx, 3), unknown_shape(5));
  return Status::ok();
}

Status infer_q_embed(InferContext& ctx) {
  const Shape *ids = input_shape(ctx, 0), *words = input_shape(ctx, 2);
  std::optional<Shape> shape, mask;
  if (ids != nullptr && words != nullptr && ids->size() == 2 && words->size() == 2) {
    shape = {(*ids)[0], (*ids)[1], (*words)[1]};
    mask = {(*ids)[0]};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 8), std::move(shape));
  set_tensor(ctx, 1, DType::kInt32, std::move(mask));
  return Status::ok();
}

Status infer_all_finite(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kBool, Shape{});
  return Status::ok();
}

// --- int8 matrices in an order of cuBLASLt's: the dims do not tell it.

Status infer_quantize_with_order(InferContext& ctx) { return infer_shape_only(ctx, DType::kInt8); }
Status infer_dequantize_with_order(InferContext& ctx) {
  const int64_t to = ctx.node().int_attribute("to", 0);
  if (!dtype_is_valid(to)) return invalid_graph("attribute 'to' is ", to, ", which is not a type");
  return infer_shape_only(ctx, static_cast<DType>(to));
}
Status infer_ordered_matmul(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 2)));
  set_tensor(ctx, 0, DType::kInt8, std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_plain_rows() {
  constexpr std::string_view kMs = kMicrosoftDomain;
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMs, "BiasDropout", 1, 2, 5, 1, 2, infer_dropout},
      {kMs, "BitmaskBiasDropout", 1, 2, 5, 1, 2, infer_bitmask_dropout},
      {kMs, "BitmaskDropout", 1, 1, 3, 1, 2, infer_bitmask_dropout},
      {kMs, "ComplexMul", 1, 2, 2, 1, 1, infer_broadcast_of_two},
      {kMs, "ComplexMulConj", 1, 2, 2, 1, 1, infer_broadcast_of_two},
      {kMs, "ConvTransposeWithDynamicPads", 1, 2, 4, 1, 1, infer_rank_of_first},
      {kMs, "DequantizeWithOrder", 1, 2, 2, 1, 1, infer_dequantize_with_order,
       "order_input,order_output,to"},
      {kMs, "ExpandDims", 1, 2, 2, 1, 1, infer_expand_dims},
      {kMs, "GatedAdd", 1, 3, 3, 1, 1, infer_same_type},
      {kMs, "GatedRMSNorm", 1, 3, 3, 1, 1, infer_same_type},
      {kMs, "GemmaRotaryEmbedding", 1, 5, 5, 2, 2, infer_gemma_rotary},
      {kMs, "GridSample", 1, 2, 2, 1, 1, infer_microsoft_grid_sample},
      {kMs, "GroupNorm", 1, 3, 3, 1, 1, infer_same_type, "activation,groups"},
      {kMs, "IsAllFinite", 1, 1, kVariadic, 1, 1, infer_all_finite},
      {kMs, "LinearAttentionGate", 1, 3, 4, 1, 2, infer_two_like_first},
      {kMs, "MatMulBnb4", 1, 3, 3, 1, 1, infer_matmul_bnb4, "K,N,block_size,quant_type"},
      {kMs, "MatMulInteger16", 1, 2, 2, 1, 1, infer_matmul_integer16},
      {kMs, "MaxpoolWithMask", 1, 2, 2, 1, 1, infer_rank_of_first, "kernel_shape"},
      {kMs, "MulInteger", 1, 3, 4, 1, 1, infer_mul_integer},
      {kMs, "NhwcFusedConv", 1, 2, 4, 1, 1, infer_rank_of_first},
      {kMs, "NhwcMaxPool", 1, 1, 1, 1, 1, infer_rank_of_first, "kernel_shape"},
      {kMs, "Pad", 1, 2, 3, 1, 1, infer_rank_of_first},
      {kMs, "QAttention", 1, 5, 9, 1, 2, infer_q_attention, "num_heads"},
      {kMs, "QEmbedLayerNormalization", 1, 17, 18, 1, 2, infer_q_embed},
      {kMs, "QLinearConv", 1, 8, 9, 1, 1, infer_q_linear_conv},
      {kMs, "QLinearReduceMean", 1, 4, 5, 1, 1, infer_q_mean},
      {kMs, "QOrderedGelu", 1, 3, 3, 1, 1, infer_same_type},
      {kMs, "QOrderedLayerNormalization", 1, 5, 5, 1, 1, infer_same_type},
      {kMs, "QOrderedMatMul", 1, 5, 8, 1, 1, infer_ordered_matmul, "order_A,order_B,order_Y"},
      {kMs, "QuantizeWithOrder", 1, 2, 2, 1, 1, infer_quantize_with_order,
       "order_input,order_output"},
      {kMs, "Range", 1, 2, 3, 1, 1, infer_microsoft_range},
      {kMs, "ReduceSumInteger", 1, 1, 1, 1, 1, infer_sum_integer, "axes,keepdims"},
      {kMs, "SampleOp", 1, 1, 1, 1, 1, infer_same_type},
      {kMs, "SkipGroupNorm", 1, 4, 5, 1, 2, infer_two_like_first, "activation,groups"},
      {kMs, "TorchEmbedding", 1, 2, 4, 1, 1, infer_torch_embedding},
      {kMs, "Unique", 1, 1, 1, 3, 3, infer_microsoft_unique},
  };
  return kRows;
}

}  // namespace ortc
