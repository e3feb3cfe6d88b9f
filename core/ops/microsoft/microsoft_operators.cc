// SPDX-License-Identifier: MIT
// Operators of com.microsoft with kernels of their own: distances, hashes, crops, tokens, places,
// packed sequences and experts.
#include "core/ops/microsoft/microsoft_families.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_cdist(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  const Shape *a = input_shape(ctx, 0), *b = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    RETURN_IF_ERROR(equal_dims((*a)[1], (*b)[1]).status());
    shape = {(*a)[0], (*b)[0]};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_murmur_hash(InferContext& ctx) {
  const bool is_positive = ctx.node().int_attribute("positive", 1) != 0;
  return infer_shape_only(ctx, is_positive ? DType::kUint32 : DType::kInt32);
}

Status infer_crop_and_resize(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  const Shape *x = input_shape(ctx, 0), *rois = input_shape(ctx, 1);
  Shape shape = unknown_shape(4);
  if (x != nullptr) shape[1] = (*x)[1];
  if (rois != nullptr) shape[0] = (*rois)[0];
  const auto size = known_integers(ctx, 3);
  if (size && size->size() == 2) {
    shape[2] = Dim::known((*size)[0]);
    shape[3] = Dim::known((*size)[1]);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_ngram_repeat_block(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  set_tensor(ctx, 0, input_dtype(ctx, 1), shape_copy(ctx, 1));
  return Status::ok();
}

Status infer_bifurcation(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kInt64, unknown_shape(1));
  set_tensor(ctx, 1, DType::kInt64, shape_copy(ctx, 2));
  return Status::ok();
}

Status infer_time_warping(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kInt32, Shape{Dim::known(2), Dim::unknown()});
  return Status::ok();
}

// The axis becomes places, and a last axis has what stands from there on.
Status infer_unfold(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  const int64_t size = ctx.node().int_attribute("size", 0);
  const int64_t step = ctx.node().int_attribute("step", 1);
  if (size < 1 || step < 1) return invalid_graph("'size' and 'step' are ", size, " and ", step);
  if (shape) {
    ASSIGN_OR_RETURN(const size_t axis,
                     checked_axis(ctx.node().int_attribute("dim", -1), shape->size()));
    Dim& dim = (*shape)[axis];
    if (dim.is_known() && dim.value < size) {
      return invalid_graph("axis ", axis, " has ", dim.value, " elements, expected ", size);
    }
    dim = dim.is_known() ? Dim::known((dim.value - size) / step + 1) : Dim::unknown();
    shape->push_back(Dim::known(size));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_position_bias(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  const Shape* table = input_shape(ctx, 0);
  Shape shape = unknown_shape(4);
  shape[0] = Dim::known(1);
  if (table != nullptr) shape[1] = (*table)[1];
  for (size_t i = 1; i < 3; ++i) {
    const auto length = known_integers(ctx, i);
    if (length && length->size() == 1) shape[1 + i] = Dim::known((*length)[0]);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Tokens without padding, where each stood, where sequences start, and the longest one.
Status infer_remove_padding(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  const Shape* x = input_shape(ctx, 0);
  Shape tokens = unknown_shape(2), offsets = unknown_shape(2), starts = unknown_shape(1);
  if (x != nullptr) {
    tokens[1] = (*x)[2];
    offsets = {(*x)[0], (*x)[1]};
    starts = {offset_dim((*x)[0], 1)};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(tokens));
  set_tensor(ctx, 1, DType::kInt32, std::move(offsets));
  set_tensor(ctx, 2, DType::kInt32, std::move(starts));
  set_tensor(ctx, 3, DType::kInt32, Shape{Dim::known(1)});
  return Status::ok();
}

Status infer_restore_padding(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  const Shape *x = input_shape(ctx, 0), *offsets = input_shape(ctx, 1);
  Shape shape = unknown_shape(3);
  if (x != nullptr) shape[2] = (*x)[1];
  if (offsets != nullptr) shape[0] = (*offsets)[0], shape[1] = (*offsets)[1];
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_packed_heads(InferContext& ctx) {
  const Shape *q = input_shape(ctx, 0), *v = input_shape(ctx, 2);
  Shape shape = unknown_shape(2);
  if (q != nullptr && !q->empty()) shape[0] = (*q)[0];
  if (v != nullptr && v->size() == 2) shape[1] = (*v)[1];
  if (q != nullptr && q->size() == 4) shape[1] = mul_dims((*q)[1], (*q)[3]);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_packed_attention_of_tokens(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  Shape shape = unknown_shape(2);
  if (x != nullptr && !x->empty()) shape[0] = (*x)[0];
  const auto sizes = ctx.node().ints_attribute("qkv_hidden_sizes");
  const Shape* w = input_shape(ctx, 1);
  if (sizes.size() == 3) {
    shape[1] = Dim::known(sizes[2]);
  } else if (w != nullptr && w->size() == 2 && (*w)[1].is_known()) {
    shape[1] = Dim::known((*w)[1].value / 3);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Like MultiHeadAttention, over a query of one token.
Status infer_decoder_attention(InferContext& ctx) {
  const Shape *q = input_shape(ctx, 0), *v = input_shape(ctx, 2), *past = input_shape(ctx, 5);
  const int64_t heads = ctx.node().int_attribute("num_heads", 0);
  const bool is_packed = !ctx.has_input(1) && !ctx.has_input(2);
  const bool shares = ctx.node().int_attribute("past_present_share_buffer", 0) != 0;
  if (shares && ctx.has_input(5) && !ctx.has_input(7)) {
    return invalid_graph("attribute 'past_present_share_buffer' needs past_sequence_length");
  }
  Shape shape = unknown_shape(3), present = unknown_shape(4);
  if (q != nullptr && q->size() == 3) {
    shape[0] = (*q)[0], shape[1] = (*q)[1];
    const Dim& columns = (*q)[2];
    if (is_packed && columns.is_known()) shape[2] = Dim::known(columns.value / 3);
  }
  if (v != nullptr && v->size() == 3) shape[2] = (*v)[2];
  if (v != nullptr && v->size() == 4) shape[2] = mul_dims((*v)[1], (*v)[3]);
  if (past != nullptr && past->size() == 4) {
    present = *past;
    if (!shares) present[2] = add_dims((*past)[2], shape[1]);
  }
  const DType dtype = input_dtype(ctx, 0);
  Shape scores = {shape[0], Dim::known(heads), shape[1], Dim::unknown()};
  set_tensor(ctx, 0, dtype, std::move(shape));
  for (size_t i = 1; i < 3; ++i) set_tensor(ctx, i, dtype, present);
  set_tensor(ctx, 3, dtype, heads > 0 ? std::move(scores) : unknown_shape(4));
  return Status::ok();
}

// The result, and the states behind it.
Status infer_causal_state(InferContext& ctx) {
  set_tensor(ctx, 0, input_dtype(ctx, 0), shape_copy(ctx, 0));
  set_tensor(ctx, 1, input_dtype(ctx, 0), unknown_shape(3));
  return Status::ok();
}
Status infer_linear_state(InferContext& ctx) {
  Shape shape = unknown_shape(3);
  const Shape* q = input_shape(ctx, 0);
  if (q != nullptr && q->size() == 3) shape[0] = (*q)[0], shape[1] = (*q)[1];
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  set_tensor(ctx, 1, input_dtype(ctx, ctx.has_input(3) ? 3 : 0), unknown_shape(4));
  return Status::ok();
}

Status infer_word_embedding(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 4));
  const Shape *words = input_shape(ctx, 0), *w = input_shape(ctx, 1);
  Shape shape = unknown_shape(2);
  if (words != nullptr) shape[0] = (*words)[0];
  if (w != nullptr) shape[1] = (*w)[0];
  set_tensor(ctx, 0, input_dtype(ctx, 1), std::move(shape));
  return Status::ok();
}

Status infer_gated_bias(InferContext& ctx) {
  const Shape *q = input_shape(ctx, 0), *bias = input_shape(ctx, 2);
  Shape shape = unknown_shape(4);
  if (bias != nullptr && bias->size() == 4) shape = *bias;
  shape[0] = q != nullptr && q->size() == 3 ? (*q)[0] : Dim::unknown();
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Output, and the caches, which keep their shapes.
Status infer_sparse_attention(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  for (const size_t i : {3, 4}) RETURN_IF_ERROR(expect_rank(ctx, i, 4));
  const Shape *q = input_shape(ctx, 0), *past = input_shape(ctx, 3);
  Shape y = unknown_shape(3);
  if (q != nullptr) y[0] = (*q)[0], y[1] = (*q)[1];
  if (past != nullptr)
    y[2] = mul_dims(Dim::known(ctx.node().int_attribute("num_heads", 0)), (*past)[3]);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(y));
  for (const size_t i : {1, 2}) {
    const Shape* cache = input_shape(ctx, i + 2);
    set_tensor(ctx, i, input_dtype(ctx, i + 2),
               cache != nullptr ? std::optional<Shape>(*cache) : std::nullopt);
  }
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_kernel_rows() {
  constexpr std::string_view kMs = kMicrosoftDomain;
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMs, "BifurcationDetector", 1, 3, 4, 2, 2, infer_bifurcation},
      {kMs, "CDist", 1, 2, 2, 1, 1, infer_cdist},
      {kMs, "CausalConvWithState", 1, 2, 4, 2, 2, infer_causal_state},
      {kMs, "CropAndResize", 1, 4, 4, 1, 1, infer_crop_and_resize},
      {kMs, "DecoderMaskedMultiHeadAttention", 1, 1, 11, 1, 4, infer_decoder_attention,
       "num_heads"},
      {kMs, "DynamicTimeWarping", 1, 1, 1, 1, 1, infer_time_warping},
      {kMs, "GatedRelativePositionBias", 1, 6, 7, 1, 1, infer_gated_bias, "num_heads"},
      {kMs, "LinearAttention", 1, 3, 6, 2, 2, infer_linear_state, "kv_num_heads,q_num_heads"},
      {kMs, "MRotaryEmbedding", 1, 4, 4, 1, 1, infer_same_type, "mrope_section"},
      {kMs, "MoE", 1, 5, 8, 1, 1, infer_same_type},
      {kMs, "MurmurHash3", 1, 1, 1, 1, 1, infer_murmur_hash},
      {kMs, "NGramRepeatBlock", 1, 2, 2, 1, 1, infer_ngram_repeat_block, "ngram_size"},
      {kMs, "PackedAttention", 1, 5, 6, 1, 1, infer_packed_attention_of_tokens, "num_heads"},
      {kMs, "PackedMultiHeadAttention", 1, 6, 7, 1, 1, infer_packed_heads, "num_heads"},
      {kMs, "QMoE", 1, 6, 21, 1, 1, infer_same_type},
      {kMs, "RelativePositionBias", 1, 3, 3, 1, 1, infer_position_bias, "max_distance"},
      {kMs, "RemovePadding", 1, 2, 2, 4, 4, infer_remove_padding},
      {kMs, "RestorePadding", 1, 2, 2, 1, 1, infer_restore_padding},
      {kMs, "SparseAttention", 1, 9, 11, 3, 3, infer_sparse_attention,
       "kv_num_heads,num_heads,sparse_block_size"},
      {kMs, "UnfoldTensor", 1, 1, 1, 1, 1, infer_unfold, "size"},
      {kMs, "WordConvEmbedding", 1, 4, 4, 1, 1, infer_word_embedding},
  };
  return kRows;
}

}  // namespace ortc
