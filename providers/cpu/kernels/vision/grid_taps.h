// SPDX-License-Identifier: MIT
// Which pixels of an image a place between them is made of, and their weights: for GridSample,
// along one to three axes.
//
// A place has its innermost axis first, and -1 and 1 are the ends of an axis: the centres of the
// corner pixels with align_corners, else their outer edges. What lies outside reads as 0, as the
// nearest pixel of the border, or is reflected at the ends.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "providers/cpu/kernels/vision/grid_pairs.h"

namespace ortc::cpu {

constexpr size_t kAxesMax = 3;
enum class SampleMode : uint32_t { kLinear = 0, kNearest = 1, kCubic = 2 };
enum class Padding : uint32_t { kZeros = 0, kBorder = 1, kReflection = 2 };

template <typename T>
T reflect(T x, T low, T high) {
  const T range = high - low;
  if (!(range > 0)) return low;
  if (x < low) {
    const T distance = low - x, turns = std::floor(distance / range);
    const T rest = distance - turns * range;
    return std::fmod(turns, T(2)) == 0 ? low + rest : high - rest;
  }
  if (x > high) {
    const T distance = x - high, turns = std::floor(distance / range);
    const T rest = distance - turns * range;
    return std::fmod(turns, T(2)) == 0 ? high - rest : low + rest;
  }
  return x;
}

// The nearest whole number, the even one of two: as std::nearbyint(), which is a call on processors
// of the first level.
template <typename T>
T whole_near(T x) {
  constexpr T kMost = std::is_same_v<T, float> ? T(0x1p22) : T(0x1p51);
  constexpr T kShift = 3 * kMost;  // numbers beside it have no fraction
  return std::fabs(x) <= kMost ? (x + kShift) - kShift : std::nearbyint(x);
}

struct SampleRule {
  SampleMode mode;
  Padding padding;
  bool align_corners;
};

// Up to four pixels of one axis and their weights; an index of -1 reads as 0.
template <typename T>
struct AxisTaps {
  int count = 0;
  std::array<int64_t, 4> index;
  std::array<T, 4> weight;
};

template <typename T>
int64_t inside(const SampleRule& rule, int64_t i, int64_t size, T low, T high) {
  if (i >= 0 && i < size) return i;
  if (rule.padding == Padding::kZeros) return -1;
  if (rule.padding == Padding::kReflection) {
    i = static_cast<int64_t>(reflect(static_cast<T>(i), low, high));
  }
  return std::clamp<int64_t>(i, 0, size - 1);
}

template <typename T>
void cubic_weights(T t, std::array<T, 4>& weight) {
  constexpr T a = T(-0.75);
  const auto near = [](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  weight = {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// Where place `x` (in [-1, 1]) lies on an axis of this size, in pixels.
template <typename T>
T pixels_at(const SampleRule& rule, T x, int64_t size) {
  return rule.align_corners ? (x + 1) / 2 * static_cast<T>(size - 1)
                            : ((x + 1) * static_cast<T>(size) - 1) / 2;
}

// The taps of place `x` on an axis of this size.
template <typename T>
[[gnu::noinline]] AxisTaps<T> axis_taps(const SampleRule& rule, T x, int64_t size) {
  const T low = rule.align_corners ? T(0) : T(-0.5);
  const T high = static_cast<T>(size) - (rule.align_corners ? T(1) : T(0.5));
  T at = pixels_at(rule, x, size);
  // Too far away to count pixels. What is not a number is outside on the left.
  constexpr T kFar = T(1e9);
  at = at > -kFar ? std::min(at, kFar) : -kFar;
  if (rule.mode == SampleMode::kNearest) at = whole_near(at);
  if (at < low || at > high) {
    // Cubic places beside the border still see the pixels behind it, as in PyTorch.
    if (rule.padding == Padding::kBorder && rule.mode != SampleMode::kCubic) {
      at = std::clamp<T>(at, 0, static_cast<T>(size - 1));
    }
    if (rule.padding == Padding::kReflection) at = reflect(at, low, high);
  }
  AxisTaps<T> taps;
  const auto truncated = static_cast<int64_t>(at);  // whose instruction all levels have
  const int64_t floor = truncated - (at < static_cast<T>(truncated) ? 1 : 0);
  const T ratio = at - static_cast<T>(floor);
  int64_t first = floor;
  if (rule.mode == SampleMode::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
    first = static_cast<int64_t>(at);
  } else if (rule.mode == SampleMode::kLinear) {
    taps.count = 2;
    taps.weight = {1 - ratio, ratio, 0, 0};
  } else {
    taps.count = 4;
    cubic_weights(ratio, taps.weight);
    first = floor - 1;
  }
  for (int k = 0; k < taps.count; ++k) {
    taps.index[static_cast<size_t>(k)] = inside(rule, first + k, size, low, high);
  }
  return taps;
}

// All pixels that one output pixel is made of, as offsets in a channel.
template <typename T>
struct PointTaps {
  int count = 0;
  std::array<int64_t, 64> offset;
  std::array<T, 64> weight;
};

template <typename T>
[[gnu::noinline]] void point_taps(const SampleRule& rule, const T* place,
                                  std::span<const int64_t> image, PointTaps<T>& taps) {
  // Missing axes in front have one pixel.
  std::array<AxisTaps<T>, kAxesMax> axes;
  std::array<int64_t, kAxesMax> sizes;
  const size_t missing = kAxesMax - image.size();
  for (size_t d = 0; d < kAxesMax; ++d) {
    sizes[d] = d < missing ? 1 : image[d - missing];
    axes[d] =
        d < missing ? AxisTaps<T>{1, {0}, {1}} : axis_taps(rule, place[kAxesMax - 1 - d], sizes[d]);
  }
  taps.count = 0;
  const auto for_each_tap = [](const AxisTaps<T>& axis, auto f) {
    for (size_t k = 0; k < static_cast<size_t>(axis.count); ++k) {
      if (axis.index[k] >= 0) f(axis.index[k], axis.weight[k]);
    }
  };
  for_each_tap(axes[0], [&](int64_t i, T u) {
    for_each_tap(axes[1], [&](int64_t j, T v) {
      for_each_tap(axes[2], [&](int64_t k, T w) {
        const auto to = static_cast<size_t>(taps.count++);
        taps.offset[to] = (i * sizes[1] + j) * sizes[2] + k;
        taps.weight[to] = u * v * w;
      });
    });
  });
}

// y[c] = the sum over the taps in channel c; channels lie `from_pitch` and `to_pitch` apart.
template <typename T>
[[gnu::noinline]] void add_taps(const PointTaps<T>& taps, const T* from, int64_t from_pitch, T* to,
                                int64_t to_pitch, int64_t channels) {
  const auto& offset = taps.offset;
  const auto& weight = taps.weight;
  if (taps.count == 4) {  // most points of an image
    const T* corner[4] = {from + offset[0], from + offset[1], from + offset[2], from + offset[3]};
    const T w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = c * from_pitch;
      T sum = w0 * corner[0][at];
      sum += w1 * corner[1][at];
      sum += w2 * corner[2][at];
      sum += w3 * corner[3][at];
      to[c * to_pitch] = sum;
    }
    return;
  }
  const auto count = static_cast<size_t>(taps.count);
  for (int64_t c = 0; c < channels; ++c) {
    const T* x = from + c * from_pitch;
    T sums[4] = {};  // that wait for none of the others
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      for (size_t j = 0; j < 4; ++j) sums[j] += weight[k + j] * x[offset[k + j]];
    }
    for (; k < count; ++k) sums[0] += weight[k] * x[offset[k]];
    to[c * to_pitch] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

// Four pixels of one axis, all of them in the image.
template <typename T>
struct FourTaps {
  int64_t first;
  std::array<T, 4> weight;
};

// The taps of cubic interpolation at place `x`; false where some are outside.
template <typename T>
bool cubic_inside(const SampleRule& rule, T x, int64_t size, FourTaps<T>* taps) {
  const T at = pixels_at(rule, x, size);
  if (!(at >= 1 && at < static_cast<T>(size - 2))) return false;
  const auto floor = static_cast<int64_t>(at);
  taps->first = floor - 1;
  cubic_weights(at - static_cast<T>(floor), taps->weight);
  return true;
}

// Their sum in an image whose rows are so long.
template <typename T>
T blend(const FourTaps<T>& rows, const FourTaps<T>& columns, const T* image, int64_t row_size) {
  const T* x = image + rows.first * row_size + columns.first;
  const auto& w = columns.weight;
  T sums[4];
  for (size_t r = 0; r < 4; ++r, x += row_size) {
    sums[r] = rows.weight[r] * ((w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3]));
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The pixel that is nearest to place `x`; -1 where there is none.
template <typename T>
int64_t nearest_at(const SampleRule& rule, T x, int64_t size) {
  const T at = pixels_at(rule, x, size);
  if (at >= 0 && at <= static_cast<T>(size - 1)) return static_cast<int64_t>(whole_near(at));
  return axis_taps(rule, x, size).index[0];
}

// Where it lies in a channel; -1 where there is none.
template <typename T>
[[gnu::noinline]] int64_t nearest_pixel(const SampleRule& rule, const T* place,
                                        std::span<const int64_t> image) {
  int64_t offset = 0;
  for (size_t d = 0; d < image.size(); ++d) {
    const int64_t index = nearest_at(rule, place[image.size() - 1 - d], image[d]);
    if (index < 0) return -1;
    offset = offset * image[d] + index;
  }
  return offset;
}

// The taps of linear interpolation at place `x` as two neighbours; false where they are none. There
// are two pixels at least.
inline bool neighbours_at(const SampleRule& rule, float x, int64_t size, AxisPair* pair) {
  const float at = pixels_at(rule, x, size);
  if (at >= 0 && at < static_cast<float>(size - 1)) {  // between two pixels, as most are
    const auto first = static_cast<int64_t>(at);
    const float ratio = at - static_cast<float>(first);
    *pair = {first, {1 - ratio, ratio}, {true, true}};
    return true;
  }
  const AxisTaps<float> taps = axis_taps(rule, x, size);
  const int64_t a = taps.index[0], b = taps.index[1];
  *pair = {};
  const int64_t first = a < 0 ? b : b < 0 ? a : std::min(a, b);
  pair->first = std::clamp<int64_t>(first, 0, size - 2);
  for (size_t k = 0; k < 2; ++k) {
    if (taps.index[k] < 0) continue;
    const int64_t side = taps.index[k] - pair->first;
    if (side > 1) return false;
    pair->weight[static_cast<size_t>(side)] += taps.weight[k];
    pair->is_read[static_cast<size_t>(side)] = true;
  }
  return true;
}

}  // namespace ortc::cpu
