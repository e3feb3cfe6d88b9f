// SPDX-License-Identifier: MIT
// The part of convolution by dot products that knows no instruction set: packing and the choice of
// kernels.

#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

void conv_dots_pack_weights(const ConvShape& shape, const float* w, float* packed) {
  const size_t taps = shape.kernel_h * shape.kernel_w;
  for (size_t n = 0; n < shape.out_c; ++n) {
    for (size_t t = 0; t < taps; ++t) {
      for (size_t c = 0; c < shape.in_c; ++c) *packed++ = w[(n * shape.in_c + c) * taps + t];
    }
  }
}

const ConvDotsF32Kernels& conv_dots_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return conv_dots_f32_avx512();
  if (isa == Isa::kAvx2) return conv_dots_f32_avx2();
#endif
  (void)isa;
  return conv_dots_f32_generic();
}

}  // namespace ortc::cpu
