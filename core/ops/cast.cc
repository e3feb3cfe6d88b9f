// SPDX-License-Identifier: MIT
// Changes of the element type: Cast, CastLike, BitCast.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Numbers stay what they are when both types are integers; so shape arithmetic survives a Cast.
void cast_contents(InferContext& ctx, DType to) {
  constexpr TypeMask kTypes = mask_of(DType::kInt32, DType::kInt64, DType::kBool);
  if ((mask_of(input_dtype(ctx, 0)) & kTypes) == 0 || (mask_of(to) & kTypes) == 0) return;
  auto values = integers(ctx, 0);
  if (!values) return;
  for (Integer& value : *values) {
    if (to == DType::kBool) {
      value = value.is_known ? Integer::number(value.value != 0) : Integer{};
    } else if (to == DType::kInt32 && value.is_known && !std::in_range<int32_t>(value.value)) {
      value = Integer{};
    }
  }
  set_integers(ctx, 0, *values);
}

Result<DType> target_type(const InferContext& ctx) {
  const Attribute* to = ctx.node().attribute("to");
  if (to != nullptr && to->kind == AttributeKind::kString) {  // opset 1 spells the type
    constexpr std::pair<std::string_view, DType> kNames[] = {
        {"FLOAT", DType::kFloat32},   {"UINT8", DType::kUint8},    {"INT8", DType::kInt8},
        {"UINT16", DType::kUint16},   {"INT16", DType::kInt16},    {"INT32", DType::kInt32},
        {"INT64", DType::kInt64},     {"STRING", DType::kString},  {"BOOL", DType::kBool},
        {"FLOAT16", DType::kFloat16}, {"DOUBLE", DType::kFloat64}, {"UINT32", DType::kUint32},
        {"UINT64", DType::kUint64}};
    for (const auto& [name, dtype] : kNames) {
      if (to->s.text() == name) return dtype;
    }
    return invalid_graph("attribute 'to': no element type is called '", to->s.text(), "'");
  }
  const int64_t number = ctx.node().int_attribute("to", 0);
  if (!dtype_is_valid(number)) {
    return invalid_graph("attribute 'to': ", number, " is not an element type");
  }
  return static_cast<DType>(number);
}

Status infer_cast(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType to, target_type(ctx));
  cast_contents(ctx, to);
  return infer_shape_only(ctx, to);
}

Status infer_cast_like(InferContext& ctx) {
  const DType to = input_dtype(ctx, 1);
  if (to != DType::kUndefined) cast_contents(ctx, to);
  return infer_shape_only(ctx, to);
}

Status infer_bit_cast(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType to, target_type(ctx));
  const DType from = input_dtype(ctx, 0);
  if (from != DType::kUndefined && dtype_bits(from) != dtype_bits(to)) {
    return invalid_graph(dtype_name(from), " and ", dtype_name(to), " differ in width");
  }
  return infer_shape_only(ctx, to);
}

}  // namespace

std::span<const OpRow> cast_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "BitCast", 26, 1, 1, 1, 1, infer_bit_cast, "to"},
      {"", "Cast", 1, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 6, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 9, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 13, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 19, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 21, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 23, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 24, 1, 1, 1, 1, infer_cast, "to"},
      {"", "Cast", 25, 1, 1, 1, 1, infer_cast, "to"},
      {"", "CastLike", 15, 2, 2, 1, 1, infer_cast_like},
      {"", "CastLike", 19, 2, 2, 1, 1, infer_cast_like},
      {"", "CastLike", 21, 2, 2, 1, 1, infer_cast_like},
      {"", "CastLike", 23, 2, 2, 1, 1, infer_cast_like},
      {"", "CastLike", 24, 2, 2, 1, 1, infer_cast_like},
      {"", "CastLike", 25, 2, 2, 1, 1, infer_cast_like},
  };
  return kRows;
}

}  // namespace ortc
