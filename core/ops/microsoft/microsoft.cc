// SPDX-License-Identifier: MIT
// The domain com.microsoft: EPContext, and the operators that ONNX Runtime has beside ONNX's own.
#include "core/ops/matmul_shape.h"

namespace ortc {
namespace {

Status infer_bias_gelu(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  return infer_broadcast(ctx, 0, 2, input_dtype(ctx, 0));
}

// The last two axes change places.
Shape turned(const Shape& x, bool trans) {
  Shape shape = x;
  if (trans && shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

Status infer_fused_matmul(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  const Shape* a = input_shape(ctx, 0);
  const Shape* b = input_shape(ctx, 1);
  std::optional<Shape> shape;
  const auto flag = [&ctx](std::string_view name) {
    return ctx.node().int_attribute(name, 0) != 0;
  };
  if (a != nullptr && b != nullptr && !flag("transBatchA") && !flag("transBatchB")) {
    const Shape left = turned(*a, flag("transA")), right = turned(*b, flag("transB"));
    ASSIGN_OR_RETURN(shape, matmul_shape(&left, &right));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Input i has as many elements as dims of `expected` say, where its shape is known.
Status check_elements(const InferContext& ctx, size_t i, const Dims& expected) {
  const Shape* shape = input_shape(ctx, i);
  const auto found = shape != nullptr ? static_dims(*shape) : std::nullopt;
  if (!found || checked_element_count(*found) == checked_element_count(expected)) {
    return Status::ok();
  }
  return invalid_graph("input ", i, " has shape ", dims_to_string(*found), ", expected ",
                       dims_to_string(expected));
}

// B [N, blocks, block bits / 8]; scales, and zero points if floats, [N, blocks]; zero points of
// uint8 packed; g_idx for each row, those that fill the last block up included or not; bias [N].
// ONNX Runtime takes scales and zero points of one dim too.
Status check_nbits(const InferContext& ctx, int64_t n, int64_t k) {
  const int64_t bits = ctx.node().int_attribute("bits", 4);
  const int64_t block = ctx.node().int_attribute("block_size", 0);
  if (bits != 2 && bits != 4 && bits != 8) {
    return invalid_graph("attribute 'bits' is ", bits, ", expected 2, 4 or 8");
  }
  if (block < 16 || block > 1 << 16 || (block & (block - 1)) != 0) {
    return invalid_graph("attribute 'block_size' is ", block, ", expected a power of two from 16");
  }
  const int64_t blocks = k / block + (k % block != 0 ? 1 : 0);
  const bool is_packed = input_dtype(ctx, 3) == DType::kUint8;
  RETURN_IF_ERROR(check_elements(ctx, 1, {n, blocks, block * bits / 8}));
  RETURN_IF_ERROR(check_elements(ctx, 2, {n, blocks}));
  RETURN_IF_ERROR(check_elements(
      ctx, 3, {n, is_packed ? blocks / (8 / bits) + (blocks % (8 / bits) != 0 ? 1 : 0) : blocks}));
  const Shape* groups = input_shape(ctx, 4);
  const bool fills = groups != nullptr && groups->size() == 1 && blocks <= INT64_MAX / block &&
                     groups->front().value == blocks * block;
  if (!fills) RETURN_IF_ERROR(check_elements(ctx, 4, {k}));
  return check_elements(ctx, 5, {n});
}

Status infer_matmul_nbits(InferContext& ctx) {
  const int64_t n = ctx.node().int_attribute("N", 0), k = ctx.node().int_attribute("K", 0);
  if (n < 1 || k < 1) return invalid_graph("attributes 'N' and 'K' are ", n, " and ", k);
  RETURN_IF_ERROR(check_nbits(ctx, n, k));
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    if (shape->empty()) return invalid_graph("input 0 is a scalar");
    if (shape->back().is_known() && shape->back().value != k) {
      return invalid_graph("input 0 has ", shape->back().value, " columns, expected ", k);
    }
    shape->back() = Dim::known(n);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Output, mean, inverse deviation, and the sum that was normalised.
Status infer_skip_layer_norm(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  const DType dtype = input_dtype(ctx, 0);
  auto shape = shape_copy(ctx, 0);
  set_tensor(ctx, 0, dtype, shape);
  set_tensor(ctx, 3, dtype, shape);
  if (shape && !shape->empty()) shape->back() = Dim::known(1);
  set_tensor(ctx, 1, DType::kFloat32, shape);
  set_tensor(ctx, 2, DType::kFloat32, shape);
  return Status::ok();
}

// Two quantised operands, each with scale and zero point, at inputs 0 and 3.
Status infer_qlinear_binary(InferContext& ctx) {
  const Shape* a = input_shape(ctx, 0);
  const Shape* b = input_shape(ctx, 3);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    ASSIGN_OR_RETURN(shape, broadcast_shapes(*a, *b));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_ms_quantize(InferContext& ctx) {
  return infer_shape_only(ctx, ctx.has_input(2) ? input_dtype(ctx, 2) : DType::kUint8);
}

Status infer_ms_dequantize(InferContext& ctx) { return infer_shape_only(ctx, input_dtype(ctx, 1)); }

Status infer_dynamic_quantize_matmul(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, DType::kFloat32, std::move(shape));
  return Status::ok();
}

Status infer_matmul_integer_to_float(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, input_dtype(ctx, 2), std::move(shape));
  return Status::ok();
}

Status infer_qlinear_global_average(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    if (shape->size() < 3) {
      return invalid_graph("input has rank ", shape->size(), ", expected at least 3");
    }
    const bool channels_last = ctx.node().int_attribute("channels_last", 0) != 0;
    const size_t first = channels_last ? 1 : 2;
    const size_t end = channels_last ? shape->size() - 1 : shape->size();
    for (size_t i = first; i < end; ++i) (*shape)[i] = Dim::known(1);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// As many dims as the first input, of which nothing more is known.
Status infer_same_rank(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  set_tensor(ctx, 0, input_dtype(ctx, 0),
             x != nullptr ? std::optional<Shape>(unknown_shape(x->size())) : std::nullopt);
  return Status::ok();
}

Status infer_fused_gemm(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  const Shape* a = input_shape(ctx, 0);
  const Shape* b = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    shape = {(*a)[ctx.node().int_attribute("transA", 0) != 0 ? 1 : 0],
             (*b)[ctx.node().int_attribute("transB", 0) != 0 ? 0 : 1]};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// A and B quantised; the result too when it has a zero point.
Status infer_q_gemm(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 3, 2));
  const Shape *a = input_shape(ctx, 0), *b = input_shape(ctx, 3);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    shape = {(*a)[ctx.node().int_attribute("transA", 0) != 0 ? 1 : 0],
             (*b)[ctx.node().int_attribute("transB", 0) != 0 ? 0 : 1]};
  }
  set_tensor(ctx, 0, ctx.has_input(8) ? input_dtype(ctx, 8) : DType::kFloat32, std::move(shape));
  return Status::ok();
}

Status infer_gemm_fast_gelu(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// The last dim is halved.
Status infer_bias_split_gelu(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  if (shape && shape->empty()) return invalid_graph("input 0 is a scalar");
  if (shape) {
    const Dim& last = shape->back();
    if (last.is_known() && last.value % 2 != 0) {
      return invalid_graph("input 0 has ", last.value, " columns, expected an even number");
    }
    shape->back() = last.is_known() ? Dim::known(last.value / 2) : Dim::unknown();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// The dims of the indices stand in the place of the axis; uint8 holds several numbers.
Status infer_gather_block_quantized(InferContext& ctx) {
  const Shape *data = input_shape(ctx, 0), *indices = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (data != nullptr && indices != nullptr && input_dtype(ctx, 0) != DType::kUndefined) {
    if (data->empty()) return invalid_graph("input 0 is a scalar");
    const int64_t bits = ctx.node().int_attribute("bits", 4);
    if (bits != 2 && bits != 4 && bits != 8) {
      return invalid_graph("attribute 'bits' is ", bits, ", expected 2, 4 or 8");
    }
    Shape numbers = *data;
    if (input_dtype(ctx, 0) == DType::kUint8) {
      numbers.back() = mul_dims(numbers.back(), Dim::known(8 / bits));
    }
    ASSIGN_OR_RETURN(const size_t axis,
                     checked_axis(ctx.node().int_attribute("gather_axis", 0), numbers.size()));
    const auto at = numbers.begin() + static_cast<ptrdiff_t>(axis);
    shape = Shape(numbers.begin(), at);
    shape->insert(shape->end(), indices->begin(), indices->end());
    shape->insert(shape->end(), at + 1, numbers.end());
  }
  set_tensor(ctx, 0, input_dtype(ctx, 2), std::move(shape));
  return Status::ok();
}

// Scale and zero point of the result, then a tensor, its scale and zero point for each part.
Status infer_qlinear_concat(InferContext& ctx) {
  std::optional<Shape> shape = shape_copy(ctx, 2);
  if (shape) {
    ASSIGN_OR_RETURN(const size_t axis,
                     checked_axis(ctx.node().int_attribute("axis", 0), shape->size()));
    for (size_t i = 5; i < ctx.input_count() && shape; i += 3) {
      const Shape* part = input_shape(ctx, i);
      if (part == nullptr) {
        shape.reset();
        break;
      }
      if (part->size() != shape->size()) {
        return invalid_graph("input ", i, " has rank ", part->size(), ", expected ", shape->size());
      }
      (*shape)[axis] = add_dims((*shape)[axis], (*part)[axis]);
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 2), std::move(shape));
  return Status::ok();
}

Status infer_qlinear_where(InferContext& ctx) {
  const Shape *condition = input_shape(ctx, 0), *x = input_shape(ctx, 1), *y = input_shape(ctx, 4);
  std::optional<Shape> shape;
  if (condition != nullptr && x != nullptr && y != nullptr) {
    ASSIGN_OR_RETURN(const Shape both, broadcast_shapes(*x, *y));
    ASSIGN_OR_RETURN(shape, broadcast_shapes(*condition, both));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 1), std::move(shape));
  return Status::ok();
}

// The last axis has half as many bins, and one more axis their parts.
Status infer_rfft(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    if (shape->empty()) return invalid_graph("input 0 is a scalar");
    const Dim& last = shape->back();
    shape->back() = last.is_known() ? Dim::known(last.value / 2 + 1) : Dim::unknown();
    shape->push_back(Dim::known(2));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}
Status infer_irfft(InferContext& ctx) {
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    if (shape->size() < 2) return invalid_graph("input 0 has rank ", shape->size());
    shape->pop_back();
    const Dim& last = shape->back();
    const bool is_known = last.is_known() && last.value > 0;
    shape->back() = is_known ? mul_dims(Dim::known(last.value - 1), Dim::known(2)) : Dim::unknown();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// The first matrix is a sparse value: its shape stands in its type all the same.
Status infer_sparse_matmul(InferContext& ctx) {
  const Type &a = ctx.input_type(0), &b = ctx.input_type(1);
  const auto is_matrix = [](const Type& type) { return !type.shape || type.shape->size() == 2; };
  if (!is_matrix(a) || !is_matrix(b)) {
    return invalid_graph("inputs are ", type_to_string(a), " and ", type_to_string(b),
                         ", expected matrices");
  }
  std::optional<Shape> shape;
  if (a.shape && b.shape) {
    shape = {(*a.shape)[ctx.node().int_attribute("transA", 0) != 0 ? 1 : 0],
             (*b.shape)[ctx.node().int_attribute("transB", 0) != 0 ? 0 : 1]};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 1), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMicrosoftDomain, "BiasAdd", 1, 3, 3, 1, 1, infer_same_type},
      {kMicrosoftDomain, "BiasGelu", 1, 2, 2, 1, 1, infer_bias_gelu},
      {kMicrosoftDomain, "BiasSoftmax", 1, 2, 2, 1, 1, infer_same_type, "axis,is_inner_broadcast"},
      {kMicrosoftDomain, "BiasSplitGelu", 1, 2, 2, 1, 1, infer_bias_split_gelu},
      {kMicrosoftDomain, "DequantizeLinear", 1, 2, 3, 1, 1, infer_ms_dequantize},
      {kMicrosoftDomain, "DynamicQuantizeMatMul", 1, 3, 5, 1, 1, infer_dynamic_quantize_matmul},
      {kMicrosoftDomain, "EPContext", 1, 0, kVariadic, 1, kVariadic, nullptr},
      {kMicrosoftDomain, "FastGelu", 1, 1, 2, 1, 1, infer_same_type},
      {kMicrosoftDomain, "FusedConv", 1, 2, 4, 1, 1, infer_same_rank},
      {kMicrosoftDomain, "FusedGemm", 1, 2, 3, 1, 1, infer_fused_gemm},
      {kMicrosoftDomain, "FusedMatMul", 1, 2, 2, 1, 1, infer_fused_matmul},
      {kMicrosoftDomain, "FusedMatMulActivation", 1, 2, 2, 1, 1, infer_fused_matmul, "activation"},
      {kMicrosoftDomain, "GatherBlockQuantized", 1, 3, 4, 1, 1, infer_gather_block_quantized},
      {kMicrosoftDomain, "GemmFastGelu", 1, 2, 3, 1, 1, infer_gemm_fast_gelu},
      {kMicrosoftDomain, "Gelu", 1, 1, 1, 1, 1, infer_same_type},
      {kMicrosoftDomain, "Inverse", 1, 1, 1, 1, 1, infer_same_type},
      {kMicrosoftDomain, "Irfft", 1, 1, 1, 1, 1, infer_irfft, "normalized,onesided,signal_ndim"},
      {kMicrosoftDomain, "MatMulIntegerToFloat", 1, 4, 7, 1, 1, infer_matmul_integer_to_float},
      {kMicrosoftDomain, "MatMulNBits", 1, 3, 6, 1, 1, infer_matmul_nbits, "K,N"},
      {kMicrosoftDomain, "NhwcConv", 1, 2, 3, 1, 1, infer_same_rank},
      {kMicrosoftDomain, "QGemm", 1, 6, 9, 1, 1, infer_q_gemm},
      {kMicrosoftDomain, "QLinearAdd", 1, 7, 8, 1, 1, infer_qlinear_binary},
      {kMicrosoftDomain, "QLinearAveragePool", 1, 4, 5, 1, 1, infer_same_rank, "kernel_shape"},
      {kMicrosoftDomain, "QLinearConcat", 1, 3, kVariadic, 1, 1, infer_qlinear_concat, "axis"},
      {kMicrosoftDomain, "QLinearGlobalAveragePool", 1, 5, 5, 1, 1, infer_qlinear_global_average},
      {kMicrosoftDomain, "QLinearLeakyRelu", 1, 4, 5, 1, 1, infer_same_type},
      {kMicrosoftDomain, "QLinearMul", 1, 7, 8, 1, 1, infer_qlinear_binary},
      {kMicrosoftDomain, "QLinearSigmoid", 1, 4, 5, 1, 1, infer_same_type},
      {kMicrosoftDomain, "QLinearSoftmax", 1, 5, 5, 1, 1, infer_same_type, "opset"},
      {kMicrosoftDomain, "QLinearWhere", 1, 9, 9, 1, 1, infer_qlinear_where},
      {kMicrosoftDomain, "QuantizeLinear", 1, 2, 3, 1, 1, infer_ms_quantize},
      {kMicrosoftDomain, "QuickGelu", 1, 1, 1, 1, 1, infer_same_type},
      {kMicrosoftDomain, "Rfft", 1, 1, 1, 1, 1, infer_rfft, "normalized,onesided,signal_ndim"},
      {kMicrosoftDomain, "RotaryEmbedding", 1, 4, 4, 1, 1, infer_same_type},
      {kMicrosoftDomain, "SkipLayerNormalization", 1, 3, 5, 1, 4, infer_skip_layer_norm},
      {kMicrosoftDomain, "SkipSimplifiedLayerNormalization", 1, 3, 4, 1, 4, infer_skip_layer_norm},
      {kMicrosoftDomain, "SparseToDenseMatMul", 1, 2, 2, 1, 1, infer_sparse_matmul},
      {kMicrosoftDomain, "TransposeMatMul", 1, 2, 2, 1, 1, infer_fused_matmul},
      {kMicrosoftDomain, "Trilu", 1, 1, 2, 1, 1, infer_same_type},
  };
  return kRows;
}

}  // namespace ortc
