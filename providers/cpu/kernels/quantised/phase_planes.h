// SPDX-License-Identifier: MIT
// Images of bytes, laid out so that neighbouring windows read neighbouring numbers, whatever their
// stride is and without a look at borders.
//
// A tap of a window meets every stride-th number of an axis. These are a phase of the axis, and of
// each channel there is a plane for every combination of phases that taps meet, filled up with
// padding. So what a tap meets is a stretch of one plane, shifted by the tap's place. Where windows
// have strides of 1 and no padding, the image itself is such planes.
#pragma once

#include <optional>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

struct PhasePlanes {
  static constexpr int64_t kSlack = 64;  // bytes behind the last plane that may be read

  bool is_image = false;
  int64_t phases[kSpatialMax] = {1, 1, 1};
  int64_t extent[kSpatialMax] = {};  // of a plane

  int64_t plane() const { return extent[0] * extent[1] * extent[2]; }
  int64_t channel() const { return plane() * phases[0] * phases[1] * phases[2]; }
  // From the first number of a channel to that which a tap of the first window meets.
  int64_t place(const Windows& windows, const int64_t (&tap)[kSpatialMax]) const;
  // The number of a window in its plane.
  int64_t pixel(int64_t z, int64_t y, int64_t x) const {
    return (z * extent[1] + y) * extent[2] + x;
  }
};

// Nothing when a channel is too large. `copies`: never the image itself.
std::optional<PhasePlanes> place_phases(const Windows& windows, bool copies);

// The planes of `channels` channels from x on, and `padding` around them.
void fill_phases(const RunContext& ctx, const PhasePlanes& planes, const Windows& windows,
                 const uint8_t* x, int64_t channels, uint8_t padding, uint8_t* to);

}  // namespace ortc::cpu
