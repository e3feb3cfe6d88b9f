// SPDX-License-Identifier: MIT
// Pools of floats in ONNX's layout whose windows are two to five wide and move by two: rows and
// columns are joined at once, and nothing is padded.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/kernels/windows/pool_lines_of.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// A function of the shape alone.
bool suits_two_step_pool(const Windows& windows);

// Bytes of a thread's slot; 0 for windows that do not suit.
uint64_t two_step_pool_slot(const Windows& windows);

// Over `channels` images, one after the other, by slots of two_step_pool_slot() bytes at `slots`.
// The planes of a window are joined first, then its rows, then its columns.
void run_two_step_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                       const PoolOfLines<float>& pool, const float* x, float* y, std::byte* slots);

}  // namespace ortc::cpu
