// SPDX-License-Identifier: MIT
// Pools in ONNX's layout whose windows are joined line by line (arith/pool_lines).
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

enum class LinePool { kLargest, kMean, kMeanWithPadding };

// Bytes of scratch for so many threads. NOT_IMPLEMENTED where padding is a line's many times over.
Result<uint64_t> line_pool_scratch(const Windows& windows, size_t element_bytes, int thread_count);

// Over `channels` images: n * c of them, one after the other. T is float or double, for the
// largest int8_t, uint8_t, Float16 and Bfloat16 too.
template <typename T>
void run_line_pool(const RunContext& ctx, const Windows& windows, int64_t channels, LinePool pool,
                   const T* x, T* y);

extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const float*, float*);
extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const double*, double*);
extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const int8_t*, int8_t*);
extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const uint8_t*, uint8_t*);
extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const Float16*, Float16*);
extern template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool,
                                   const Bfloat16*, Bfloat16*);

}  // namespace ortc::cpu
