// SPDX-License-Identifier: MIT
// Operators that work element by element, with broadcasting from opset 7 (8 for the variadic ones)
// on; before that the first input gives the shape. Arithmetic on small integer tensors is followed
// as contents.
#include <algorithm>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Integer add(const Integer& a, const Integer& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  auto sum = a.is_known && b.is_known ? checked_add(a.value, b.value) : std::nullopt;
  return sum ? Integer::number(*sum) : Integer{};
}

Integer sub(const Integer& a, const Integer& b) {
  if (b.is(0)) return a;
  if (!a.is_known && !b.is_known && !a.symbol.empty() && a.symbol == b.symbol) {
    return Integer::number(0);
  }
  int64_t difference;
  if (!a.is_known || !b.is_known || __builtin_sub_overflow(a.value, b.value, &difference))
    return {};
  return Integer::number(difference);
}

Integer mul(const Integer& a, const Integer& b) {
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is(0) || b.is(0)) return Integer::number(0);
  auto product = a.is_known && b.is_known ? checked_mul(a.value, b.value) : std::nullopt;
  return product ? Integer::number(*product) : Integer{};
}

Integer div(const Integer& a, const Integer& b) {
  if (b.is(1)) return a;
  if (!a.is_known || !b.is_known || b.value == 0 || (a.value == INT64_MIN && b.value == -1)) {
    return {};
  }
  return Integer::number(a.value / b.value);
}

Integer max(const Integer& a, const Integer& b) {
  return a.is_known && b.is_known ? Integer::number(std::max(a.value, b.value)) : Integer{};
}

Integer min(const Integer& a, const Integer& b) {
  return a.is_known && b.is_known ? Integer::number(std::min(a.value, b.value)) : Integer{};
}

Integer equal(const Integer& a, const Integer& b) {
  if (a.is_known && b.is_known) return Integer::number(a.value == b.value);
  // A symbol stands for a size: never negative, and always equal to itself.
  if ((a.is_known && a.value < 0 && !b.symbol.empty()) ||
      (b.is_known && b.value < 0 && !a.symbol.empty())) {
    return Integer::number(0);
  }
  return !a.symbol.empty() && a.symbol == b.symbol ? Integer::number(1) : Integer{};
}

// What would wrap around in 32 bits is not followed.
Integer within_type(DType dtype, const Integer& value) {
  const bool wraps =
      dtype == DType::kInt32 && value.is_known && !std::in_range<int32_t>(value.value);
  return wraps ? Integer{} : value;
}

using IntegerRule = Integer (*)(const Integer&, const Integer&);

// Contents of output 0 = rule(inputs 0, 1), when both are integers of equal count or one is single.
void follow_contents(InferContext& ctx, IntegerRule rule) {
  if (ctx.input_count() != 2) return;
  auto a = integers(ctx, 0), b = integers(ctx, 1);
  if (!a || !b || a->empty() || b->empty()) return;
  const size_t count = std::max(a->size(), b->size());
  if ((a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1)) return;
  Integers values;
  for (size_t i = 0; i < count; ++i) {
    const Integer value = rule((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    values.push_back(within_type(input_dtype(ctx, 0), value));
  }
  set_integers(ctx, 0, values);
}

// Before opset 7: input 1 has the first one's shape, or is stretched to it along `axis`.
Status broadcast_pair(InferContext& ctx, DType dtype) {
  return ctx.opset() < 7 ? infer_shape_only(ctx, dtype) : infer_broadcast(ctx, 0, 2, dtype);
}

Status infer_binary(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  const DType a = input_dtype(ctx, 0);
  return broadcast_pair(ctx, a != DType::kUndefined ? a : input_dtype(ctx, 1));
}

template <Integer (*kRule)(const Integer&, const Integer&)>
Status infer_arithmetic(InferContext& ctx) {
  follow_contents(ctx, kRule);
  return infer_binary(ctx);
}

Status infer_comparison(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  return broadcast_pair(ctx, DType::kBool);
}

Status infer_equal(InferContext& ctx) {
  follow_contents(ctx, equal);
  return infer_comparison(ctx);
}

// Pow, BitShift, PRelu: the first input gives the type.
Status infer_pow(InferContext& ctx) { return broadcast_pair(ctx, input_dtype(ctx, 0)); }

// The slope is stretched to the data, never the other way.
Status infer_prelu(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  return infer_same_type(ctx);
}

Status infer_variadic(InferContext& ctx) {
  for (size_t i = 1; i < ctx.input_count(); ++i) RETURN_IF_ERROR(same_dtype(ctx, 0, i));
  return infer_broadcast(ctx, 0, ctx.input_count(), input_dtype(ctx, 0));
}

template <Integer (*kRule)(const Integer&, const Integer&)>
Status infer_extreme(InferContext& ctx) {
  follow_contents(ctx, kRule);
  return infer_variadic(ctx);
}

Status infer_where(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 1, 2));
  auto condition = integers(ctx, 0), a = integers(ctx, 1), b = integers(ctx, 2);
  if (condition && a && b && !condition->empty() && !a->empty() && !b->empty()) {
    const size_t count = std::max({condition->size(), a->size(), b->size()});
    const auto fits = [count](const auto& list) {
      return list.size() == count || list.size() == 1;
    };
    const auto at = [](const auto& list, size_t i) { return list[list.size() == 1 ? 0 : i]; };
    if (fits(*condition) && fits(*a) && fits(*b)) {
      Integers values;
      for (size_t i = 0; i < count; ++i) {
        const Integer choice = at(*condition, i);
        values.push_back(!choice.is_known ? Integer{} : choice.value != 0 ? at(*a, i) : at(*b, i));
      }
      set_integers(ctx, 0, values);
    }
  }
  const DType dtype = input_dtype(ctx, 1);
  return infer_broadcast(ctx, 0, 3, dtype != DType::kUndefined ? dtype : input_dtype(ctx, 2));
}

Status infer_neg(InferContext& ctx) {
  if (auto values = integers(ctx, 0)) {
    for (Integer& value : *values) {
      value = within_type(input_dtype(ctx, 0), sub(Integer::number(0), value));
    }
    set_integers(ctx, 0, *values);
  }
  return infer_same_type(ctx);
}

}  // namespace

std::span<const OpRow> elementwise_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Abs", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Abs", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Abs", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Acos", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Acos", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Acosh", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Acosh", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Add", 1, 2, 2, 1, 1, infer_arithmetic<add>},
      {"", "Add", 6, 2, 2, 1, 1, infer_arithmetic<add>},
      {"", "Add", 7, 2, 2, 1, 1, infer_arithmetic<add>},
      {"", "Add", 13, 2, 2, 1, 1, infer_arithmetic<add>},
      {"", "Add", 14, 2, 2, 1, 1, infer_arithmetic<add>},
      {"", "And", 1, 2, 2, 1, 1, infer_comparison},
      {"", "And", 7, 2, 2, 1, 1, infer_comparison},
      {"", "Asin", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Asin", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Asinh", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Asinh", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Atan", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Atan", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Atanh", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Atanh", 22, 1, 1, 1, 1, infer_same_type},
      {"", "BitShift", 11, 2, 2, 1, 1, infer_binary, "direction"},
      {"", "BitwiseAnd", 18, 2, 2, 1, 1, infer_binary},
      {"", "BitwiseNot", 18, 1, 1, 1, 1, infer_same_type},
      {"", "BitwiseOr", 18, 2, 2, 1, 1, infer_binary},
      {"", "BitwiseXor", 18, 2, 2, 1, 1, infer_binary},
      {"", "Ceil", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Ceil", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Ceil", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Clip", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Clip", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Clip", 11, 1, 3, 1, 1, infer_same_type},
      {"", "Clip", 12, 1, 3, 1, 1, infer_same_type},
      {"", "Clip", 13, 1, 3, 1, 1, infer_same_type},
      {"", "Cos", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Cos", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Cosh", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Cosh", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Div", 1, 2, 2, 1, 1, infer_arithmetic<div>},
      {"", "Div", 6, 2, 2, 1, 1, infer_arithmetic<div>},
      {"", "Div", 7, 2, 2, 1, 1, infer_arithmetic<div>},
      {"", "Div", 13, 2, 2, 1, 1, infer_arithmetic<div>},
      {"", "Div", 14, 2, 2, 1, 1, infer_arithmetic<div>},
      {"", "Equal", 1, 2, 2, 1, 1, infer_equal},
      {"", "Equal", 7, 2, 2, 1, 1, infer_equal},
      {"", "Equal", 11, 2, 2, 1, 1, infer_equal},
      {"", "Equal", 13, 2, 2, 1, 1, infer_equal},
      {"", "Equal", 19, 2, 2, 1, 1, infer_equal},
      {"", "Erf", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Erf", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Exp", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Exp", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Exp", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Floor", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Floor", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Floor", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Greater", 1, 2, 2, 1, 1, infer_comparison},
      {"", "Greater", 7, 2, 2, 1, 1, infer_comparison},
      {"", "Greater", 9, 2, 2, 1, 1, infer_comparison},
      {"", "Greater", 13, 2, 2, 1, 1, infer_comparison},
      {"", "GreaterOrEqual", 12, 2, 2, 1, 1, infer_comparison},
      {"", "GreaterOrEqual", 16, 2, 2, 1, 1, infer_comparison},
      {"", "IsInf", 10, 1, 1, 1, 1, infer_bool_like},
      {"", "IsInf", 20, 1, 1, 1, 1, infer_bool_like},
      {"", "IsNaN", 9, 1, 1, 1, 1, infer_bool_like},
      {"", "IsNaN", 13, 1, 1, 1, 1, infer_bool_like},
      {"", "IsNaN", 20, 1, 1, 1, 1, infer_bool_like},
      {"", "Less", 1, 2, 2, 1, 1, infer_comparison},
      {"", "Less", 7, 2, 2, 1, 1, infer_comparison},
      {"", "Less", 9, 2, 2, 1, 1, infer_comparison},
      {"", "Less", 13, 2, 2, 1, 1, infer_comparison},
      {"", "LessOrEqual", 12, 2, 2, 1, 1, infer_comparison},
      {"", "LessOrEqual", 16, 2, 2, 1, 1, infer_comparison},
      {"", "Log", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Log", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Log", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Max", 1, 1, kVariadic, 1, 1, infer_extreme<max>},
      {"", "Max", 6, 1, kVariadic, 1, 1, infer_extreme<max>},
      {"", "Max", 8, 1, kVariadic, 1, 1, infer_extreme<max>},
      {"", "Max", 12, 1, kVariadic, 1, 1, infer_extreme<max>},
      {"", "Max", 13, 1, kVariadic, 1, 1, infer_extreme<max>},
      {"", "Mean", 1, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Mean", 6, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Mean", 8, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Mean", 13, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Min", 1, 1, kVariadic, 1, 1, infer_extreme<min>},
      {"", "Min", 6, 1, kVariadic, 1, 1, infer_extreme<min>},
      {"", "Min", 8, 1, kVariadic, 1, 1, infer_extreme<min>},
      {"", "Min", 12, 1, kVariadic, 1, 1, infer_extreme<min>},
      {"", "Min", 13, 1, kVariadic, 1, 1, infer_extreme<min>},
      {"", "Mod", 10, 2, 2, 1, 1, infer_binary},
      {"", "Mod", 13, 2, 2, 1, 1, infer_binary},
      {"", "Mul", 1, 2, 2, 1, 1, infer_arithmetic<mul>},
      {"", "Mul", 6, 2, 2, 1, 1, infer_arithmetic<mul>},
      {"", "Mul", 7, 2, 2, 1, 1, infer_arithmetic<mul>},
      {"", "Mul", 13, 2, 2, 1, 1, infer_arithmetic<mul>},
      {"", "Mul", 14, 2, 2, 1, 1, infer_arithmetic<mul>},
      {"", "Neg", 1, 1, 1, 1, 1, infer_neg},
      {"", "Neg", 6, 1, 1, 1, 1, infer_neg},
      {"", "Neg", 13, 1, 1, 1, 1, infer_neg},
      {"", "Not", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Or", 1, 2, 2, 1, 1, infer_comparison},
      {"", "Or", 7, 2, 2, 1, 1, infer_comparison},
      {"", "PRelu", 1, 2, 2, 1, 1, infer_prelu},
      {"", "PRelu", 6, 2, 2, 1, 1, infer_prelu},
      {"", "PRelu", 7, 2, 2, 1, 1, infer_prelu},
      {"", "PRelu", 9, 2, 2, 1, 1, infer_prelu},
      {"", "PRelu", 16, 2, 2, 1, 1, infer_prelu},
      {"", "Pow", 1, 2, 2, 1, 1, infer_pow},
      {"", "Pow", 7, 2, 2, 1, 1, infer_pow},
      {"", "Pow", 12, 2, 2, 1, 1, infer_pow},
      {"", "Pow", 13, 2, 2, 1, 1, infer_pow},
      {"", "Pow", 15, 2, 2, 1, 1, infer_pow},
      {"", "Reciprocal", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Reciprocal", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Reciprocal", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Round", 11, 1, 1, 1, 1, infer_same_type},
      {"", "Round", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Sign", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Sign", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Sin", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Sin", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Sinh", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Sinh", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Sqrt", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Sqrt", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Sqrt", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Sub", 1, 2, 2, 1, 1, infer_arithmetic<sub>},
      {"", "Sub", 6, 2, 2, 1, 1, infer_arithmetic<sub>},
      {"", "Sub", 7, 2, 2, 1, 1, infer_arithmetic<sub>},
      {"", "Sub", 13, 2, 2, 1, 1, infer_arithmetic<sub>},
      {"", "Sub", 14, 2, 2, 1, 1, infer_arithmetic<sub>},
      {"", "Sum", 1, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Sum", 6, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Sum", 8, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Sum", 13, 1, kVariadic, 1, 1, infer_variadic},
      {"", "Tan", 7, 1, 1, 1, 1, infer_same_type},
      {"", "Tan", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Tanh", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Tanh", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Tanh", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Where", 9, 3, 3, 1, 1, infer_where},
      {"", "Where", 16, 3, 3, 1, 1, infer_where},
      {"", "Xor", 1, 2, 2, 1, 1, infer_comparison},
      {"", "Xor", 7, 2, 2, 1, 1, infer_comparison},
  };
  return kRows;
}

}  // namespace ortc
