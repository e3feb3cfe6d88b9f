// SPDX-License-Identifier: MIT
// Convolutions in ONNX's layout as products of a weight matrix and gathered input:
//
//   y[batch][group][row][pixel] = sum over (channel, tap) of w[group][row][channel, tap] *
//                                 x[batch][group][channel][place of tap for pixel] + bias[row]
//
// Output pixels are the columns. A work item gathers the input of a few panels of 32 pixels into
// its thread's scratch. With `transposed` a tap's place is where a transposed convolution reads:
// `in` and `out` of the windows are still the extents of x and y.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

struct GatherProduct {
  int64_t batch = 0, groups = 1;
  int64_t channels = 1;  // of x, in one group
  int64_t rows = 1;      // channels of y, in one group
  Windows windows;
  bool transposed = false;

  int64_t depth() const { return channels * windows.taps(); }
};

// Bytes of scratch for a run on so many threads; nothing on overflow. Channels and rows are at
// least 1, the sizes of x, w and y fit.
std::optional<uint64_t> gather_scratch(const GatherProduct& product, size_t element_bytes,
                                       int thread_count);

// `bias` has groups * rows numbers, or is null. `scratch` starts on 64 bytes.
void run_gather_product(const RunContext& ctx, const GatherProduct& product, const float* x,
                        const float* w, const float* bias, float* y, std::byte* scratch);
void run_gather_product(const RunContext& ctx, const GatherProduct& product, const double* x,
                        const double* w, const double* bias, double* y, std::byte* scratch);

}  // namespace ortc::cpu
