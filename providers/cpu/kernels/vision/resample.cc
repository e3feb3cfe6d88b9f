// SPDX-License-Identifier: MIT
// One axis of Resize: see the header. Places are computed in double, and from the sizes where the
// scale is their ratio: rounding decides which neighbour is the nearest, and a place that meets an
// element, or the middle between two, is there to the bit.
#include "providers/cpu/kernels/vision/resample.h"

#include <algorithm>
#include <cmath>

namespace ortc::cpu {
namespace {

double cubic_weight(double a, double distance) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// The neighbour on the left, and how far the place is from it: a number in (0, 1].
struct Split {
  int64_t left;
  double ratio;
};
Split split(double place) {
  const double bounded = std::isnan(place) ? 0.0 : std::clamp(place, -1e15, 1e15);
  const double left = std::ceil(bounded) - 1;
  return {static_cast<int64_t>(left), bounded - left};
}

// How far a filter is stretched when an axis shrinks.
double filter_scale(const ResampleRule& rule, double scale) {
  return rule.antialias ? std::min(scale, 1.0) : 1.0;
}

int64_t first_tap(const ResampleRule& rule, double scale) {
  const double reach = rule.mode == ResizeMode::kLinear ? 1 : 2;
  return static_cast<int64_t>(std::max(-1e15, std::floor(-reach / filter_scale(rule, scale)))) + 1;
}

}  // namespace

bool ResampleAxis::has_scale_of_sizes() const {
  const double ratio = static_cast<double>(out) / static_cast<double>(in);
  return static_cast<float>(ratio) == static_cast<float>(scale);
}

bool ResampleAxis::is_identity(const ResampleRule& rule) const {
  const bool is_cropped =
      rule.transform == ResizeTransform::kCropAndResize && (roi_start != 0 || roi_end != 1);
  const bool is_shifted = rule.transform == ResizeTransform::kHalfPixelForNearest;
  return scale == 1 && in == out && !is_cropped && !is_shifted;
}

int64_t ResampleAxis::tap_count(const ResampleRule& rule) const {
  if (rule.mode == ResizeMode::kNearest) return 1;
  return 2 - 2 * first_tap(rule, scale);
}

double ResampleAxis::place(const ResampleRule& rule, int64_t i) const {
  const auto x = static_cast<double>(i), in_size = static_cast<double>(in);
  const auto out_size = static_cast<double>(out);
  const bool is_exact = has_scale_of_sizes();
  const auto unscaled = [&](double at) { return is_exact ? at * in_size / out_size : at / scale; };
  const double half_pixel = unscaled(x + 0.5) - 0.5;
  switch (rule.transform) {
    case ResizeTransform::kHalfPixel:
      return half_pixel;
    case ResizeTransform::kPytorchHalfPixel:
      return out == 1 ? 0.0 : half_pixel;
    case ResizeTransform::kAlignCorners: {
      const double last = (is_exact ? out_size : scale * in_size) - 1;
      return last == 0 || out == 1 ? 0.0 : x * (in_size - 1) / last;
    }
    case ResizeTransform::kAsymmetric:
      return unscaled(x);
    case ResizeTransform::kCropAndResize: {
      const double first = roi_start * (in_size - 1);
      const double width = (roi_end - roi_start) * (in_size - 1);
      return out == 1 ? first + width / 2 : first + x * width / (out_size - 1);
    }
    case ResizeTransform::kHalfPixelForNearest:
      return unscaled(x + 0.5);
    case ResizeTransform::kHalfPixelSymmetric: {
      const double adjustment = is_exact ? 1 : out_size / (scale * in_size);
      return in_size / 2 * (1 - adjustment) + half_pixel;
    }
  }
  return 0;
}

bool ResampleAxis::is_outside(const ResampleRule& rule, int64_t i) const {
  if (rule.transform != ResizeTransform::kCropAndResize) return false;
  const double x = place(rule, i);
  return !(x >= 0 && x <= static_cast<double>(in - 1));
}

int64_t ResampleAxis::nearest(const ResampleRule& rule, int64_t i) const {
  const auto [left, ratio] = split(place(rule, i));
  bool takes_left = false;
  switch (rule.nearest) {
    case NearestMode::kRoundPreferFloor:
      takes_left = ratio <= 0.5;
      break;
    case NearestMode::kRoundPreferCeil:
      takes_left = ratio < 0.5;
      break;
    case NearestMode::kFloor:
      takes_left = ratio < 1;
      break;
    case NearestMode::kCeil:
      break;
    case NearestMode::kSimple:
      takes_left = scale >= 1 && ratio < 1;
      break;
  }
  return std::clamp<int64_t>(takes_left ? left : left + 1, 0, in - 1);
}

template <typename W>
void ResampleAxis::taps(const ResampleRule& rule, int64_t i, int64_t* index, W* weight) const {
  if (rule.mode == ResizeMode::kNearest) {
    index[0] = nearest(rule, i);
    weight[0] = W(1);
    return;
  }
  const auto [left, ratio] = split(place(rule, i));
  const int64_t first = first_tap(rule, scale), count = tap_count(rule);
  const double stretch = filter_scale(rule, scale);
  const auto weight_of = [&](int64_t k) {
    const int64_t at = left + first + k;
    if (rule.exclude_outside && (at < 0 || at >= in)) return 0.0;
    const double distance = (static_cast<double>(first + k) - ratio) * stretch;
    return rule.mode == ResizeMode::kLinear ? std::clamp(1 - std::fabs(distance), 0.0, 1.0)
                                            : cubic_weight(rule.cubic_a, distance);
  };
  double sum = 1;
  if (rule.antialias || rule.exclude_outside) {
    sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += weight_of(k);
    if (sum == 0) sum = 1;
  }
  for (int64_t k = 0; k < count; ++k) {
    index[k] = std::clamp<int64_t>(left + first + k, 0, in - 1);
    weight[k] = static_cast<W>(weight_of(k) / sum);
  }
}

template void ResampleAxis::taps(const ResampleRule&, int64_t, int64_t*, float*) const;
template void ResampleAxis::taps(const ResampleRule&, int64_t, int64_t*, double*) const;

}  // namespace ortc::cpu
