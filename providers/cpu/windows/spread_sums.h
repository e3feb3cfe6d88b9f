// SPDX-License-Identifier: MIT
// Sums of a transposed convolution of which it is known what each input pixel adds to the output's,
// tap by tap.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// `count` channels of y, each of windows.out_size() elements, from spread[channel][tap][pixel];
// bias is theirs or null. An element's terms are added in the order of their taps, bias first, and
// however channels are divided among threads.
void sum_spread(const RunContext& ctx, const Windows& windows, const float* spread,
                const float* bias, float* y, int64_t count);
void sum_spread(const RunContext& ctx, const Windows& windows, const double* spread,
                const double* bias, double* y, int64_t count);

}  // namespace ortc::cpu
