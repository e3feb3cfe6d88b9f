// SPDX-License-Identifier: MIT
// The part of convolution that knows no instruction set: packing the weights, scratch, choice of
// kernels.

#include "providers/cpu/arith/conv_f32/conv_f32.h"

#include "core/platform/cpu.h"
#include "providers/cpu/arith/conv_f32/conv_plan.h"

namespace ortc::cpu {

size_t conv_packed_size(const ConvShape& shape) {
  return shape.groups * packed_size(shape.depth(), shape.group_out());
}

namespace {

template <typename T>
void pack_weights(const ConvShape& shape, const T* w, size_t p0, size_t p1, T* packed) {
  const size_t taps = shape.kernel_h * shape.kernel_w;
  const size_t channels = shape.group_in();
  for (size_t p = p0; p < p1; ++p) {
    const size_t group = p / shape.group_panels();
    const size_t first = p % shape.group_panels() * kPanelColumns;
    T* panel = packed + p * kPanelColumns * shape.depth();
    for (size_t j = 0; j < kPanelColumns; ++j) {
      const bool valid = first + j < shape.group_out();
      const T* from = w + (valid ? (group * shape.group_out() + first + j) * channels * taps : 0);
      for (size_t t = 0; t < taps; ++t) {
        for (size_t c = 0; c < channels; ++c) {
          panel[(t * channels + c) * kPanelColumns + j] = valid ? from[c * taps + t] : T{0};
        }
      }
    }
  }
}

}  // namespace

void conv_pack_weights(const ConvShape& shape, const float* w, size_t p0, size_t p1,
                       float* packed) {
  pack_weights(shape, w, p0, p1, packed);
}

void conv_pack_weights(const ConvShape& shape, const uint16_t* w, size_t p0, size_t p1,
                       uint16_t* packed) {
  pack_weights(shape, w, p0, p1, packed);
}

size_t conv_scratch_bytes(const ConvShape& shape) {
  const size_t dense = conv_plan(shape, shape.in_c).bytes();
  const size_t strided = conv_plan(shape, shape.in_c + 1).bytes();
  return dense > strided ? dense : strided;
}

const ConvF32Kernels& conv_f32_kernels(Isa isa) {
  find_host_look_ahead();
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return conv_f32_avx512();
  if (isa == Isa::kAvx2) return conv_f32_avx2();
#endif
  (void)isa;
  return conv_f32_generic();
}

}  // namespace ortc::cpu
