// SPDX-License-Identifier: MIT
// Pools of small images in ONNX's layout: some images at a time are turned, so that vectors run
// along images where lines are too short for them.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/kernels/windows/pool_lines_of.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// Whether so many images are done so; a function of the shape alone.
bool suits_turned_pool(const Windows& windows, int64_t channels);

// Bytes of a thread's slot; 0 for windows that no number of images suits. `element_bytes` is at
// most 8.
uint64_t turned_pool_slot(const Windows& windows, size_t element_bytes);

// Over `channels` images, one after the other, by slots of turned_pool_slot() bytes at `slots`. The
// taps of a window are joined in their order. T is what lines hold.
template <typename T>
void run_turned_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                     const PoolOfLines<T>& pool, const T* x, T* y, std::byte* slots);

extern template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                                     const PoolOfLines<float>&, const float*, float*, std::byte*);
extern template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                                     const PoolOfLines<double>&, const double*, double*,
                                     std::byte*);
extern template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                                     const PoolOfLines<int8_t>&, const int8_t*, int8_t*,
                                     std::byte*);
extern template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                                     const PoolOfLines<uint8_t>&, const uint8_t*, uint8_t*,
                                     std::byte*);
extern template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                                     const PoolOfLines<uint16_t>&, const uint16_t*, uint16_t*,
                                     std::byte*);

}  // namespace ortc::cpu
