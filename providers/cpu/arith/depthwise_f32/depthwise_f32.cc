// SPDX-License-Identifier: MIT
// The part of depthwise convolution that knows no instruction set: packing and the choice of
// kernels.

#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

void depthwise_pack_weights(const ConvShape& shape, const float* w, float* packed) {
  for (size_t i = 0; i < shape.kernel_h; ++i) {
    for (size_t k = 0; k < shape.group_in(); ++k) {
      for (size_t j = 0; j < shape.kernel_w; ++j) {
        for (size_t c = 0; c < shape.out_c; ++c) {
          const size_t filter = (c * shape.group_in() + k) * shape.kernel_h + i;
          *packed++ = w[filter * shape.kernel_w + j];
        }
      }
    }
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
