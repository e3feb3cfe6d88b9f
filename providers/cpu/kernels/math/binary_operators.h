// SPDX-License-Identifier: MIT
// What an operator of two tensors makes of one pair of elements: its types, apply(), and the rows
// of the instruction set level that do the same to many. elementwise_binary.cc drives them.
//
// Integers wrap around; one that refuses zero is never given a divisor of 0. What is done by bits
// is the same for signed and unsigned integers. Float16 and bfloat16 are computed in float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/truth_rows/truth_rows.h"
#include "providers/cpu/bind/rows/unary_rows.h"

namespace ortc::cpu {
namespace binary {

// Unsigned and at least as wide as int, where overflow is defined.
template <typename T>
using Wide = std::make_unsigned_t<std::common_type_t<T, int>>;

// Rows of float through the arithmetic of the instruction set level.
struct VectorRows {
  VectorF32Kernels::Binary VectorF32Kernels::*both;
  VectorF32Kernels::WithScalar VectorF32Kernels::*b_stands;
  VectorF32Kernels::WithScalar VectorF32Kernels::*a_stands;
};

// Rows of integers, by their bits.
struct IntegerRows {
  NumberRowsKernels::Join<uint32_t> NumberRowsKernels::Arithmetic<uint32_t>::*u32;
  NumberRowsKernels::Join<uint64_t> NumberRowsKernels::Arithmetic<uint64_t>::*u64;
};
#define ORTC_INTEGER_ROWS(name)                       \
  static constexpr IntegerRows kIntegers = {          \
      &NumberRowsKernels::Arithmetic<uint32_t>::name, \
      &NumberRowsKernels::Arithmetic<uint64_t>::name, \
  }

// Rows of truth values: of two truth values, or by a relation of numbers.
using LogicRows = TruthRowsKernels::Compare<uint8_t> TruthRowsKernels::*;
struct RelationRows {
  TruthRowsKernels::Compare<float> TruthRowsKernels::Relations<float>::*f32;
  TruthRowsKernels::Compare<double> TruthRowsKernels::Relations<double>::*f64;
  TruthRowsKernels::Compare<int32_t> TruthRowsKernels::Relations<int32_t>::*i32;
  TruthRowsKernels::Compare<int64_t> TruthRowsKernels::Relations<int64_t>::*i64;
};
#define ORTC_RELATION_ROWS(relation)                   \
  static constexpr RelationRows kRelation = {          \
      &TruthRowsKernels::Relations<float>::relation,   \
      &TruthRowsKernels::Relations<double>::relation,  \
      &TruthRowsKernels::Relations<int32_t>::relation, \
      &TruthRowsKernels::Relations<int64_t>::relation, \
  }

struct Add {
  using Types = NumberTypes;
  static constexpr bool kByBits = true;
  static constexpr VectorRows kRows = {&VectorF32Kernels::add, &VectorF32Kernels::add_scalar,
                                       &VectorF32Kernels::add_scalar};
  ORTC_INTEGER_ROWS(add);
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wide<T>(a) + Wide<T>(b));
    return a + b;
  }
};
struct Sub {
  using Types = NumberTypes;
  static constexpr bool kByBits = true;
  static constexpr VectorRows kRows = {&VectorF32Kernels::sub, &VectorF32Kernels::sub_scalar,
                                       &VectorF32Kernels::sub_from_scalar};
  ORTC_INTEGER_ROWS(subtract);
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wide<T>(a) - Wide<T>(b));
    return a - b;
  }
};
struct Mul {
  using Types = NumberTypes;
  static constexpr bool kByBits = true;
  static constexpr VectorRows kRows = {&VectorF32Kernels::mul, &VectorF32Kernels::mul_scalar,
                                       &VectorF32Kernels::mul_scalar};
  ORTC_INTEGER_ROWS(multiply);
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wide<T>(a) * Wide<T>(b));
    return a * b;
  }
};
#undef ORTC_INTEGER_ROWS
struct Div {  // integers: towards zero
  using Types = NumberTypes;
  static constexpr bool kRefusesZero = true;
  static constexpr VectorRows kRows = {&VectorF32Kernels::div, &VectorF32Kernels::div_scalar,
                                       &VectorF32Kernels::div_of_scalar};
  template <typename T>
  static T apply(T a, T b) {
    // Exact in double too, and there processors divide several numbers at a time. Only the least
    // number by -1 does not fit.
    if constexpr (std::is_same_v<T, int32_t>) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      return static_cast<T>(quotient > 0x7fffffff ? -0x1p31 : quotient);
    }
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      if (b == -1) return static_cast<T>(Wide<T>(0) - Wide<T>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct FloorMod {  // the sign of the divisor
  using Types = IntegerTypes;
  static constexpr bool kRefusesZero = true;
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      const T rest = static_cast<T>(a % b);
      return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    } else {
      return static_cast<T>(a % b);
    }
  }
};
// fmod. A quotient below 2^24 is known exactly in double once it is truncated, its product with b
// and the rest are exact too.
inline float float_mod(float a, float b) {
  const double quotient = static_cast<double>(a) / static_cast<double>(b);
  if (!(std::fabs(quotient) < 16777216.0) || std::isinf(b)) return std::fmod(a, b);
  const double whole = static_cast<double>(static_cast<int32_t>(quotient));
  const double rest = static_cast<double>(a) - whole * static_cast<double>(b);
  return std::copysign(static_cast<float>(rest), a);
}
// The same of doubles below 2^26: b is a sum of two numbers of so few bits that their products are
// exact. A quotient that was rounded up to a whole number is one too large.
inline double float_mod(double a, double b) {
  const double quotient = a / b;
  if (!(std::fabs(quotient) < 0x1p26) || std::isinf(b)) return std::fmod(a, b);
  const double whole = static_cast<double>(static_cast<int32_t>(quotient));
  const double high = std::bit_cast<double>(std::bit_cast<uint64_t>(b) & ~uint64_t{0x7ffffff});
  double rest = (a - whole * high) - whole * (b - high);
  if ((rest < 0) != (a < 0) && rest != 0) rest += std::copysign(b, a);
  return std::copysign(rest, a);
}
struct TruncatedMod {  // the sign of the dividend
  using Types = NumberTypes;
  static constexpr bool kRefusesZero = true;
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return float_mod(a, b);
    } else if constexpr (std::is_signed_v<T>) {
      return b == -1 ? T{0} : static_cast<T>(a % b);
    } else {
      return static_cast<T>(a % b);
    }
  }
};

struct And {
  using Types = TypeList<Bool8>;
  static constexpr LogicRows kLogic = &TruthRowsKernels::both;
  template <typename T>
  static Bool8 apply(T a, T b) {
    return Bool8((a.byte != 0) & (b.byte != 0));
  }
};
struct Or {
  using Types = TypeList<Bool8>;
  static constexpr LogicRows kLogic = &TruthRowsKernels::either;
  template <typename T>
  static Bool8 apply(T a, T b) {
    return Bool8((a.byte | b.byte) != 0);
  }
};
struct Xor {
  using Types = TypeList<Bool8>;
  static constexpr LogicRows kLogic = &TruthRowsKernels::one_alone;
  template <typename T>
  static Bool8 apply(T a, T b) {
    return Bool8((a.byte != 0) != (b.byte != 0));
  }
};
struct Equal {
  using Types = Join<NumberTypes, TypeList<Bool8>>;
  static constexpr bool kByBits = true;
  ORTC_RELATION_ROWS(equal);
  template <typename T>
  static Bool8 apply(T a, T b) {
    if constexpr (std::is_same_v<T, Bool8>) return Bool8((a.byte != 0) == (b.byte != 0));
    return Bool8(a == b);
  }
};
struct Less {
  using Types = NumberTypes;
  ORTC_RELATION_ROWS(less);
  template <typename T>
  static Bool8 apply(T a, T b) {
    return Bool8(a < b);
  }
};
struct LessOrEqual {
  using Types = NumberTypes;
  ORTC_RELATION_ROWS(less_or_equal);
  template <typename T>
  static Bool8 apply(T a, T b) {
    return Bool8(a <= b);
  }
};
#undef ORTC_RELATION_ROWS
struct ShiftLeft {  // 0 once every bit has left
  using Types = UnsignedTypes;
  template <typename T>
  static T apply(T a, T b) {
    return b < sizeof(T) * 8 ? static_cast<T>(Wide<T>(a) << b) : T{0};
  }
};
struct ShiftRight {
  using Types = UnsignedTypes;
  template <typename T>
  static T apply(T a, T b) {
    return b < sizeof(T) * 8 ? static_cast<T>(a >> b) : T{0};
  }
};
struct BitAnd {
  using Types = IntegerTypes;
  static constexpr bool kByBits = true;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  using Types = IntegerTypes;
  static constexpr bool kByBits = true;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  using Types = IntegerTypes;
  static constexpr bool kByBits = true;
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace binary
}  // namespace ortc::cpu
