// SPDX-License-Identifier: MIT
// The table of conversions: see the header.
#include "providers/cpu/elements/convert.h"

#include <algorithm>
#include <cstring>

#include "core/platform/cpu.h"
#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/truth_rows/truth_rows.h"
#include "providers/cpu/elements/convert_x86.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

using ConvertedTypes = Join<NumberTypes, TypeList<Bool8>>;

// 16-bit floats are floats, so what becomes of them is too. Integers that float rounds are infinite
// as float16.
template <typename From, typename To>
constexpr bool kGoesByFloat =
    kIsReduced<From> ? !kIsReduced<To>
                     : kIsReduced<To> && std::is_integral_v<From> &&
                           (sizeof(From) <= 2 || std::is_same_v<To, Float16>);

template <typename From, typename To>
void convert_elements(const void* from, void* to, int64_t n) {
  const auto* x = static_cast<const From*>(from);
  auto* y = static_cast<To*>(to);
  if constexpr (kIsReduced<From> && std::is_same_v<To, float>) {
    widen(x, n, y);
  } else if constexpr (std::is_same_v<From, float> && kIsReduced<To>) {
    narrow(x, n, y);
  } else if constexpr (kGoesByFloat<From, To>) {
    const ConvertRow to_float = convert_row(kDTypeOf<From>, DType::kFloat32);
    const ConvertRow from_float = convert_row(DType::kFloat32, kDTypeOf<To>);
    float piece[kFloatRow];
    for (int64_t at = 0; at < n; at += kFloatRow) {
      const int64_t size = std::min(kFloatRow, n - at);
      to_float(x + at, piece, size);
      from_float(piece, y + at, size);
    }
  } else if constexpr (kIsReduced<To> &&
                       (std::is_same_v<From, double> || std::is_integral_v<From>)) {
    float piece[kFloatRow];
    for (int64_t at = 0; at < n; at += kFloatRow) {
      const int64_t size = std::min(kFloatRow, n - at);
      for (int64_t i = 0; i < size; ++i) piece[i] = odd_float_of(x[at + i]);
      narrow(piece, size, y + at);
    }
  } else {
    const int64_t done = convert_quickly(x, y, n);
    for (int64_t i = done; i < n; ++i) y[i] = convert<To>(x[i]);
  }
}

// 1 for every byte but 0.
void convert_truths(const void* from, void* to, int64_t n) {
  constexpr uint8_t kFalse = 0;
  truth_rows_kernels(host_isa())
      .either(static_cast<const uint8_t*>(from), true, &kFalse, false, static_cast<uint8_t*>(to),
              static_cast<size_t>(n));
}

// Truth values as numbers of more than a byte.
template <typename To>
void convert_from_truths(const void* from, void* to, int64_t n) {
  const ConvertRow from_bytes = convert_row(DType::kUint8, kDTypeOf<To>);
  uint8_t piece[kFloatRow];
  for (int64_t at = 0; at < n; at += kFloatRow) {
    const int64_t size = std::min(kFloatRow, n - at);
    convert_truths(static_cast<const uint8_t*>(from) + at, piece, size);
    from_bytes(piece, static_cast<To*>(to) + at, size);
  }
}

template <typename T>
void copy_elements(const void* from, void* to, int64_t n) {
  if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
}

// What the processor has instructions for; else null. The numbers are the same either way, so the
// level a run is held to does not matter.
ConvertRow quick_row(DType from, DType to) {
  const NumberRowsKernels& rows = number_rows_kernels(host_isa());
  if (from == DType::kInt32 && to == DType::kFloat32) return rows.i32_to_f32;
  if (from == DType::kInt64 && to == DType::kFloat32) return rows.i64_to_f32;
  if (from == DType::kFloat32 && to == DType::kInt32) return rows.f32_to_i32;
  if (from == DType::kFloat32 && to == DType::kInt64) return rows.f32_to_i64;
  if (from == DType::kInt64 && to == DType::kInt32) return rows.i64_to_i32;
  if (from == DType::kInt32 && to == DType::kInt64) return rows.i32_to_i64;
  return nullptr;
}

}  // namespace

ConvertRow convert_row(DType from, DType to) {
  ConvertRow row = quick_row(from, to);
  if (row != nullptr) return row;
  with_type(ConvertedTypes{}, from, [&](auto from_tag) {
    with_type(ConvertedTypes{}, to, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      constexpr bool kIsTruth = std::is_same_v<From, Bool8>,
                     kGivesTruth = std::is_same_v<To, Bool8>;
      constexpr bool kAreIntegers = std::is_integral_v<From> && std::is_integral_v<To>;
      if constexpr (sizeof(From) == 1 && sizeof(To) == 1 && (kIsTruth || kGivesTruth)) {
        row = convert_truths;
      } else if constexpr (kIsTruth) {
        row = convert_from_truths<To>;
      } else if constexpr (std::is_same_v<From, To> ||
                           (kAreIntegers && sizeof(From) == sizeof(To))) {
        row = copy_elements<Chunk<sizeof(To)>>;
      } else {
        row = convert_elements<From, To>;
      }
    });
  });
  return row;
}

}  // namespace ortc::cpu
