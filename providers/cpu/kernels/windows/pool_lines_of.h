// SPDX-License-Identifier: MIT
// What pools of one element type do to lines (arith/pool_lines).
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "providers/cpu/arith/pool_lines/pool_lines.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/windows/line_pool.h"
#include "providers/cpu/windows/taps.h"

namespace ortc::cpu {

// What lines of T hold: 16-bit floats are told by their bits.
template <typename T>
using LineElement = std::conditional_t<kIsReduced<T>, uint16_t, T>;

template <typename T>
struct PoolOfLines {
  LinePool kind;
  const PoolLines<T>* lines;
  T neutral;

  int64_t count_of(const Taps& taps) const {
    return kind == LinePool::kMeanWithPadding ? taps.padded : taps.count;
  }
  // What a sum of so many is divided by: that of none is 0.
  static T divisor_of(int64_t count) { return static_cast<T>(std::max<int64_t>(count, 1)); }
};

template <typename T>
LineElement<T> neutral_of(LinePool kind) {
  if (kind != LinePool::kLargest) return LineElement<T>(0);
  if constexpr (kIsReduced<T>) {
    return T(-std::numeric_limits<float>::infinity()).bits;
  } else {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  }
}

template <typename T>
const PoolLines<LineElement<T>>& lines_of(const PoolLinesKernels& kernels, LinePool kind) {
  const bool is_max = kind == LinePool::kLargest;
  if constexpr (std::is_same_v<T, float>) return is_max ? kernels.max_f32 : kernels.sum_f32;
  if constexpr (std::is_same_v<T, double>) return is_max ? kernels.max_f64 : kernels.sum_f64;
  if constexpr (std::is_same_v<T, int8_t>) return kernels.max_i8;
  if constexpr (std::is_same_v<T, uint8_t>) return kernels.max_u8;
  if constexpr (std::is_same_v<T, Float16>) return kernels.max_f16;
  if constexpr (std::is_same_v<T, Bfloat16>) return kernels.max_bf16;
}

template <typename T>
PoolOfLines<LineElement<T>> pool_of_lines(Isa isa, LinePool kind) {
  return {kind, &lines_of<T>(pool_lines_kernels(isa), kind), neutral_of<T>(kind)};
}

// Whether each plane of a volume makes one of the output, as it is.
inline bool is_flat(const WindowAxis& planes) {
  return planes.kernel == 1 && planes.stride == 1 && planes.pad_begin == 0 &&
         planes.in == planes.out;
}

// The planes that output plane `taps` is made of, as one of `size` elements: joined in the room, or
// where it lies.
template <typename T>
const T* plane_of(const PoolLines<T>& lines, const T* volume, int64_t size, bool is_flat,
                  const Taps& taps, T* room) {
  const T* first = taps.count > 0 ? volume + taps.first * size : volume;
  if (is_flat) return first;
  lines.join(first, static_cast<size_t>(taps.dilation * size), static_cast<size_t>(taps.count),
             false, room, static_cast<size_t>(size));
  return room;
}

}  // namespace ortc::cpu
