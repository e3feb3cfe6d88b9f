// SPDX-License-Identifier: MIT
// Pools of small images of floats in ONNX's layout: some images at a time are turned, so that
// vectors run along images where lines are too short for them.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/kernels/windows/pool_lines_of.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// Whether so many images are done so; a function of the shape alone.
bool suits_turned_pool(const Windows& windows, int64_t channels);

// Bytes of a thread's slot; 0 for windows that no number of images suits.
uint64_t turned_pool_slot(const Windows& windows);

// Over `channels` images, one after the other, by slots of turned_pool_slot() bytes at `slots`. The
// taps of a window are joined in their order.
void run_turned_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                     const PoolOfLines<float>& pool, const float* x, float* y, std::byte* slots);

}  // namespace ortc::cpu
