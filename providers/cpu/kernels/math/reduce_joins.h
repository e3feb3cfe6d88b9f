// SPDX-License-Identifier: MIT
// What reductions join and how: the types, the numbers that T is joined in, map and join of each.
#pragma once

#include <cmath>

#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/bind/rows/order_row.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

using HalfTypes = TypeList<Float16, Bfloat16>;
using PlainSumTypes = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t>;
using PlainOrderTypes = Join<PlainSumTypes, TypeList<int8_t, uint8_t, Bool8>>;
using SumTypes = Join<PlainSumTypes, HalfTypes>;
using OrderTypes = Join<PlainOrderTypes, HalfTypes>;

// What T is joined in: double for floats, 64 bits for integers.
template <typename T>
using Wide = std::conditional_t<!std::is_integral_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <typename W>
W wrapping_add(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename W>
W wrapping_mul(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

struct SumJoin {
  using Types = PlainSumTypes;
  static constexpr bool kKeepsOne = true;  // one element joins to itself
  static constexpr bool kIsFrequent = true;
  static constexpr auto kRowsF32 = &ReduceF32Kernels::sum;
  template <typename T>
  using State = Wide<T>;
  template <typename W>
  static W start() {
    return 0;
  }
  template <typename W>
  static W map(W x) {
    return x;
  }
  template <typename W>
  static W join(W a, W b) {
    return wrapping_add(a, b);
  }
};
struct AbsSumJoin : SumJoin {
  static constexpr bool kKeepsOne = false;
  static constexpr bool kIsFrequent = false;
  static constexpr auto kRowsF32 = &ReduceF32Kernels::abs_sum;
  template <typename W>
  static W map(W x) {
    if constexpr (std::is_integral_v<W>) return x < 0 ? wrapping_mul<W>(x, static_cast<W>(-1)) : x;
    return std::fabs(x);
  }
};
struct SquareSumJoin : SumJoin {
  static constexpr bool kKeepsOne = false;
  static constexpr bool kIsFrequent = false;
  static constexpr auto kRowsF32 = &ReduceF32Kernels::square_sum;
  template <typename W>
  static W map(W x) {
    return wrapping_mul(x, x);
  }
};
struct ProdJoin : SumJoin {
  static constexpr bool kIsFrequent = false;
  static constexpr auto kRowsF32 = &ReduceF32Kernels::product;
  template <typename W>
  static W start() {
    return 1;
  }
  template <typename W>
  static W join(W a, W b) {
    return wrapping_mul(a, b);
  }
};

template <typename T>
using OrderState = std::conditional_t<std::is_same_v<T, Bool8>, uint8_t, Compute<T>>;

// NaN wins; nothing at all gives the end of the range.
template <bool kLargest>
struct OrderJoin {
  using Types = PlainOrderTypes;
  static constexpr bool kKeepsOne = true;
  static constexpr bool kIsFrequent = true;
  static constexpr bool kTakesLargest = kLargest;
  static constexpr auto kRowsF32 =
      kLargest ? &ReduceF32Kernels::largest : &ReduceF32Kernels::smallest;
  static constexpr auto kRowsF64 = kLargest ? &MapsF64Kernels::largest : &MapsF64Kernels::smallest;
  template <typename T>
  using State = OrderState<T>;
  template <typename W>
  static W start() {
    return neutral_extreme<kLargest, W>();
  }
  template <typename W>
  static W map(W x) {
    return x;
  }
  template <typename W>
  static W join(W a, W b) {
    const bool takes = kLargest ? b > a : b < a;
    return takes || b != b ? b : a;
  }
  // Where neither is NaN: one instruction.
  template <typename W>
  static W join_numbers(W a, W b) {
    return (kLargest ? b > a : b < a) ? b : a;
  }
};
using MaxJoin = OrderJoin<true>;
using MinJoin = OrderJoin<false>;

template <typename W, typename T>
W loaded(T x) {
  if constexpr (std::is_same_v<T, Bool8>) return x ? 1 : 0;
  return static_cast<W>(x);
}

// The arithmetic of the instruction set level has it.
template <typename Op, typename T, typename W>
constexpr bool kHasRowsF32 =
    std::is_same_v<T, float>&& std::is_same_v<W, typename Op::template State<float>>;

}  // namespace ortc::cpu
