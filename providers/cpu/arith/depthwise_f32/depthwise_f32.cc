// SPDX-License-Identifier: MIT
// The part of depthwise convolution that knows no instruction set: packing and the choice of
// kernels.

#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

void depthwise_pack_weights(const ConvShape& shape, const float* w, float* packed) {
  const size_t taps = shape.kernel_h * shape.kernel_w;
  for (size_t t = 0; t < taps; ++t) {
    for (size_t c = 0; c < shape.out_c; ++c) packed[t * shape.out_c + c] = w[c * taps + t];
  }
}

const DepthwiseF32Kernels& depthwise_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return depthwise_f32_avx512();
  if (isa == Isa::kAvx2) return depthwise_f32_avx2();
#endif
  (void)isa;
  return depthwise_f32_generic();
}

}  // namespace ortc::cpu
