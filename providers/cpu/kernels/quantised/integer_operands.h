// SPDX-License-Identifier: MIT
// What the integer products with any operands share: numbers that come once, or once a row, column
// or channel, and the rounding of sums.
#pragma once

#include <bit>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/small_integers.h"

namespace ortc::cpu {

// A zero point; 0 where the input is omitted.
inline int32_t zero_at(const RunContext& ctx, size_t input, int64_t i) {
  if (!ctx.has_input(input)) return 0;
  const ValueRef& zero = ctx.input(input);
  return integer_at(zero.dtype, zero.data, zero.element_count() == 1 ? 0 : i);
}

inline bool is_one(const RunContext& ctx, size_t input) {
  return !ctx.has_input(input) || ctx.input(input).element_count() == 1;
}

// Products take the left operand as uint8 and the right one as int8: the other type is flipped by
// xor 0x80, and its zero points move by as much.
inline int32_t left_zero_at(const RunContext& ctx, size_t operand, size_t zero, int64_t i) {
  return zero_at(ctx, zero, i) + (ctx.input(operand).dtype == DType::kInt8 ? 128 : 0);
}
inline int32_t right_zero_at(const RunContext& ctx, size_t operand, size_t zero, int64_t i) {
  return zero_at(ctx, zero, i) - (ctx.input(operand).dtype == DType::kUint8 ? 128 : 0);
}

inline float product_scale_at(const RunContext& ctx, size_t input, int64_t i) {
  const ValueRef& scale = ctx.input(input);
  if (scale.element_count() == 1) i = 0;
  if (scale.dtype == DType::kFloat32) return scale.as<float>()[i];
  if (scale.dtype == DType::kFloat16) return scale.as<Float16>()[i];
  return scale.as<Bfloat16>()[i];
}

// Input i, if present, has one element or `count`.
inline Status check_count(const BindContext& ctx, size_t i, int64_t count, TypeMask types) {
  RETURN_IF_ERROR(check_type(ctx, i, types));
  if (!ctx.has_input(i)) return Status::ok();
  const int64_t found = ctx.input(i).element_count();
  if (found == 1 || found == count) return Status::ok();
  return not_implemented("input ", i, " of shape ", dims_to_string(ctx.input(i).dims()),
                         " where one number or ", count, " are expected");
}

// y[i] = saturate(round(sums[i] factor(i)) + zero), ties to even; NaN becomes the least number.
template <typename F>
void round_sums(const int32_t* sums, int64_t n, F factor, int32_t zero, DType dtype, uint8_t* y) {
  constexpr float kToInteger = 12582912.0f;  // adding it leaves no place for a fraction
  const IntegerRange range = integer_range(dtype);
  const float lo = static_cast<float>(range.lo - zero), hi = static_cast<float>(range.hi - zero);
  const int32_t less = std::bit_cast<int32_t>(kToInteger) - zero;
  for (int64_t i = 0; i < n; ++i) {
    float v = static_cast<float>(sums[i]) * factor(i);
    v = v > lo ? v : lo;
    v = v < hi ? v : hi;
    y[i] = static_cast<uint8_t>(std::bit_cast<int32_t>(v + kToInteger) - less);
  }
}

}  // namespace ortc::cpu
