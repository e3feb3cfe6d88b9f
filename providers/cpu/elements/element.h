// SPDX-License-Identifier: MIT
// Element types as C++ types, lists of them, and dispatch from a DType to a template.
//
// Float16 and Bfloat16 store; arithmetic happens in Compute<T> (float for those two). Bool8 reads
// any byte: a buffer from outside may hold more than 0 and 1.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/dtype.h"
#include "core/base/float16.h"
#include "providers/cpu/elements/round_to_odd.h"

namespace ortc::cpu {

struct Float16 {
  uint16_t bits;
  Float16() = default;
  explicit Float16(float value) : bits(float_to_half(value)) {}
  operator float() const { return half_to_float(bits); }  // NOLINT
};

struct Bfloat16 {
  uint16_t bits;
  Bfloat16() = default;
  explicit Bfloat16(float value) : bits(float_to_bfloat16(value)) {}
  operator float() const { return bfloat16_to_float(bits); }  // NOLINT
};

struct Bool8 {
  uint8_t byte;
  Bool8() = default;
  explicit Bool8(bool value) : byte(value ? 1 : 0) {}
  operator bool() const { return byte != 0; }  // NOLINT
};

}  // namespace ortc::cpu

namespace ortc {
template <>
struct DTypeOf<cpu::Float16> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<cpu::Bfloat16> {
  static constexpr DType value = DType::kBfloat16;
};
template <>
struct DTypeOf<cpu::Bool8> {
  static constexpr DType value = DType::kBool;
};
}  // namespace ortc

namespace ortc::cpu {

template <typename T>
inline constexpr bool kIsReduced = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

template <typename T>
using Compute = std::conditional_t<kIsReduced<T>, float, T>;

// What sums of T are kept in, so that long sums stay accurate.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T> || kIsReduced<T>, double, T>;

template <typename T>
struct TypeTag {
  using type = T;
};

template <typename... Ts>
struct TypeList {
  static constexpr TypeMask kMask = (mask_of(kDTypeOf<Ts>) | ... | TypeMask{0});
};

template <typename A, typename B>
struct JoinedTypes;
template <typename... As, typename... Bs>
struct JoinedTypes<TypeList<As...>, TypeList<Bs...>> {
  using type = TypeList<As..., Bs...>;
};
template <typename A, typename B>
using Join = typename JoinedTypes<A, B>::type;

using FloatTypes = TypeList<float, double, Float16, Bfloat16>;
using SignedTypes = TypeList<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;
using IntegerTypes = Join<SignedTypes, UnsignedTypes>;
using NumberTypes = Join<FloatTypes, IntegerTypes>;

// Calls f(TypeTag<T>{}) for the type of the list that `dtype` names; false when there is none.
template <typename... Ts, typename F>
bool with_type(TypeList<Ts...>, DType dtype, F&& f) {
  return ((kDTypeOf<Ts> == dtype ? (f(TypeTag<Ts>{}), true) : false) || ...);
}

// Movement kernels know elements by their size only. Loads and stores go through memcpy, so a
// pointer to Chunk needs no alignment.
template <size_t kBytes>
struct Chunk {
  unsigned char bytes[kBytes];
};

// Calls f(TypeTag<Chunk<size>>{}) for sizes 1, 2, 4, 8 and 16; false for another size.
template <typename F>
bool with_chunk(size_t size, F&& f) {
  switch (size) {
    case 1:
      return f(TypeTag<Chunk<1>>{}), true;
    case 2:
      return f(TypeTag<Chunk<2>>{}), true;
    case 4:
      return f(TypeTag<Chunk<4>>{}), true;
    case 8:
      return f(TypeTag<Chunk<8>>{}), true;
    case 16:
      return f(TypeTag<Chunk<16>>{}), true;
    default:
      return false;
  }
}

inline size_t element_bytes(DType dtype) { return static_cast<size_t>(dtype_bits(dtype)) / 8; }

namespace element_detail {

// Truncation towards zero. What does not fit (NaN too) becomes the smallest value, for types
// narrower than 32 bits the low bits of the 32-bit result: what the usual processors do.
template <typename To>
To truncated(double value) {
  if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>) {
    const bool fits = value > -2147483649.0 && value < 2147483648.0;
    return static_cast<To>(fits ? static_cast<int32_t>(value)
                                : std::numeric_limits<int32_t>::min());
  } else if constexpr (std::is_same_v<To, uint64_t>) {
    if (value >= 9223372036854775808.0 && value < 18446744073709551616.0) {
      return static_cast<uint64_t>(static_cast<int64_t>(value - 9223372036854775808.0)) ^
             (uint64_t{1} << 63);
    }
    const bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
    return static_cast<uint64_t>(fits ? static_cast<int64_t>(value)
                                      : std::numeric_limits<int64_t>::min());
  } else {
    const bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
    return static_cast<To>(fits ? static_cast<int64_t>(value)
                                : std::numeric_limits<int64_t>::min());
  }
}

}  // namespace element_detail

// A number of one element type as another, as the Cast operator does it.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsReduced<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, Bool8>) {
    return convert<To>(static_cast<uint8_t>(value ? 1 : 0));
  } else if constexpr (std::is_same_v<To, Bool8>) {
    return Bool8(value != From(0));
  } else if constexpr (kIsReduced<To> && (std::is_same_v<From, double> ||
                                          (std::is_integral_v<From> && sizeof(From) >= 4))) {
    return To(odd_float_of(value));  // rounded once, not to a float first
  } else if constexpr (kIsReduced<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return element_detail::truncated<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace ortc::cpu
