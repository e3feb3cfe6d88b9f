// SPDX-License-Identifier: MIT
// Quantising and back.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_quantize(InferContext& ctx) {
  DType dtype = DType::kUint8;
  const int64_t wanted = ctx.node().int_attribute("output_dtype", 0);
  if (wanted != 0) {
    if (!dtype_is_valid(wanted))
      return invalid_graph("attribute 'output_dtype': ", wanted, " is not an element type");
    dtype = static_cast<DType>(wanted);
  }
  if (ctx.has_input(2)) {
    const DType zero = input_dtype(ctx, 2);
    if (wanted != 0 && zero != DType::kUndefined && zero != dtype) {
      return invalid_graph("the zero point is ", dtype_name(zero),
                           ", attribute 'output_dtype' says ", dtype_name(dtype));
    }
    dtype = zero;
  }
  return infer_shape_only(ctx, dtype);
}

Status infer_dequantize(InferContext& ctx) {
  if (ctx.has_input(2)) RETURN_IF_ERROR(same_dtype(ctx, 0, 2));
  const int64_t wanted = ctx.node().int_attribute("output_dtype", 0);
  if (wanted == 0) return infer_shape_only(ctx, input_dtype(ctx, 1));
  if (!dtype_is_valid(wanted))
    return invalid_graph("attribute 'output_dtype': ", wanted, " is not an element type");
  return infer_shape_only(ctx, static_cast<DType>(wanted));
}

Status infer_dynamic_quantize(InferContext& ctx) {
  RETURN_IF_ERROR(infer_shape_only(ctx, DType::kUint8));
  set_tensor(ctx, 1, DType::kFloat32, Shape{});
  set_tensor(ctx, 2, DType::kUint8, Shape{});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> quantisation_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "DequantizeLinear", 10, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 13, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 19, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 21, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 23, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 24, 2, 3, 1, 1, infer_dequantize},
      {"", "DequantizeLinear", 25, 2, 3, 1, 1, infer_dequantize},
      {"", "DynamicQuantizeLinear", 11, 1, 1, 3, 3, infer_dynamic_quantize},
      {"", "QuantizeLinear", 10, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 13, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 19, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 21, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 23, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 24, 2, 3, 1, 1, infer_quantize},
      {"", "QuantizeLinear", 25, 2, 3, 1, 1, infer_quantize},
  };
  return kRows;
}

}  // namespace ortc
