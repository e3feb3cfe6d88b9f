// SPDX-License-Identifier: MIT
// Whether a box overlaps one of others by more than a share of the area of both:
//
//   overlap(a, b) = area(a and b) / area(a or b)
//
// Boxes without area, and those with NaN, overlap nothing. Each operation is rounded once, so that
// every level says the same.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct BoxF32 {
  float y0, x0, y1, x1;
};

// Boxes side by side. A group that is not full ends in boxes without area.
struct BoxGroupF32 {
  static constexpr size_t kTogether = 16;
  float y0[kTogether], x0[kTogether], y1[kTogether], x1[kTogether];
  float area[kTogether];  // (y1 - y0) * (x1 - x0)
};

struct BoxesF32Kernels {
  // True when one of so many groups has a box whose overlap is above the threshold.
  bool (*any_overlaps)(const BoxGroupF32* groups, size_t count, const BoxF32& box, float threshold);
};

const BoxesF32Kernels& boxes_f32_kernels(Isa isa);

const BoxesF32Kernels& boxes_f32_generic();
#if ORTC_ARITH_X86
const BoxesF32Kernels& boxes_f32_avx2();    // only on a CPU that has it
const BoxesF32Kernels& boxes_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
