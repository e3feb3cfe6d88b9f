// SPDX-License-Identifier: MIT
// How the scratch of a Winograd convolution is laid out; a function of the channels alone. Shared
// by the scratch computation and the kernels of every instruction set level; plain inline
// arithmetic only.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/winograd_f32/winograd_f32.h"

namespace ortc::cpu {
namespace {

// What a block of tiles may take, to stay in the second cache with the running panel.
constexpr size_t kBlockBytes = 768 * 1024;
constexpr size_t kTilesMin = 24, kTilesMax = 240, kTileStep = 12;

struct WinogradPlan {
  size_t tiles;        // done at once
  size_t channels;     // from row to row of the turned pixels, whole vectors
  size_t place_in;     // floats from place to place of the turned pixels
  size_t place_out;    // and of the products
  size_t zero_floats;  // a pixel that stands for the padding

  // Scratch holds zeros, turned pixels and products, in this order.
  size_t bytes() const {
    return (zero_floats + kWinogradPlaces * (place_in + place_out)) * sizeof(float);
  }
};

// An odd number of lines, so that the places do not share cache sets.
constexpr size_t odd_lines(size_t floats) { return ((floats + 15) / 16 | 1) * 16; }

[[maybe_unused]] constexpr WinogradPlan winograd_plan(size_t in_c) {
  WinogradPlan plan{};
  plan.zero_floats = (in_c + 15) / 16 * 16;
  plan.channels = odd_lines(in_c);
  const size_t each = kWinogradPlaces * (plan.channels + kPanelColumns) * sizeof(float);
  const size_t fitting = kBlockBytes / each / kTileStep * kTileStep;
  plan.tiles = fitting < kTilesMin ? kTilesMin : fitting > kTilesMax ? kTilesMax : fitting;
  plan.place_in = odd_lines(plan.tiles * plan.channels);
  plan.place_out = odd_lines(plan.tiles * kPanelColumns);
  return plan;
}

}  // namespace
}  // namespace ortc::cpu
