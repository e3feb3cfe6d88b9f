// SPDX-License-Identifier: MIT
// One axis of Resize: where an output element lies in the input, and which input elements it is
// made of. Neighbours outside the axis repeat its ends.
#pragma once

#include <cstdint>

namespace ortc::cpu {

enum class ResizeMode : uint32_t { kNearest = 0, kLinear = 1, kCubic = 2 };
enum class ResizeTransform : uint32_t {
  kHalfPixel = 0,
  kPytorchHalfPixel = 1,
  kAlignCorners = 2,
  kAsymmetric = 3,
  kCropAndResize = 4,
  kHalfPixelSymmetric = 5,
  kHalfPixelForNearest = 6,  // of opset 11
};
// kSimple is how the first forms of the operators round: up when the axis shrinks, else down.
enum class NearestMode : uint32_t {
  kRoundPreferFloor = 0,
  kRoundPreferCeil = 1,
  kFloor = 2,
  kCeil = 3,
  kSimple = 4,
};

struct ResampleRule {
  ResizeMode mode = ResizeMode::kNearest;
  ResizeTransform transform = ResizeTransform::kHalfPixel;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  bool antialias = false;
  bool exclude_outside = false;
  double cubic_a = -0.75;
};

struct ResampleAxis {
  int64_t in = 1, out = 1;
  double scale = 1;
  double roi_start = 0, roi_end = 1;  // kCropAndResize

  // The scale is the ratio of the sizes, or that in single precision, and means the ratio then.
  bool has_scale_of_sizes() const;
  // Every output element is the input element of the same number.
  bool is_identity(const ResampleRule& rule) const;
  // Input elements for one output element.
  int64_t tap_count(const ResampleRule& rule) const;
  // Where output element i lies, counted in input elements.
  double place(const ResampleRule& rule, int64_t i) const;
  // Whether that is outside the region whose elements have values; kCropAndResize alone.
  bool is_outside(const ResampleRule& rule, int64_t i) const;
  int64_t nearest(const ResampleRule& rule, int64_t i) const;
  // The tap_count() input elements of output element i and their weights.
  template <typename W>
  void taps(const ResampleRule& rule, int64_t i, int64_t* index, W* weight) const;
};

}  // namespace ortc::cpu
