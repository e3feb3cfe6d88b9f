// SPDX-License-Identifier: MIT
// f32 convolution, channels last: x [batch][in_h][in_w][in_c], y [batch][out_h][out_w][out_c].
//
// Weights are packed per group as f32 panels (gemm_f32.h) with K = (kernel_h, kernel_w, in_c /
// groups) and N = out_c / groups, group after group. It is an implicit GEMM over output pixels:
// pixel (b * out_h + oh) * out_w + ow is row m, and a work item is a range of pixels times a range
// of panels. The order of summation depends on the shape alone, so y has the same bits however
// pixels and panels are divided among calls. Depthwise convolutions have kernels of their own
// (depthwise_f32.h).
//
// Bound (bounds.h): before its activation an element is off by conv_f32_error(depth) times the sum
// of its terms' sizes at most. Taps beside the image may be left out, or weights be multiplied by
// zeros there: infinite weights show which.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// All sizes are at least 1, groups divides both channel counts, and every extent fits in 31 bits.
// Padding at the bottom and at the right follows from the output's size.
struct ConvShape {
  size_t batch = 1;
  size_t in_h = 1, in_w = 1, in_c = 1;
  size_t out_h = 1, out_w = 1, out_c = 1;
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride_h = 1, stride_w = 1;
  size_t dilation_h = 1, dilation_w = 1;
  size_t pad_top = 0, pad_left = 0;
  size_t groups = 1;

  [[gnu::always_inline]] constexpr size_t pixels() const { return batch * out_h * out_w; }
  [[gnu::always_inline]] constexpr size_t group_in() const { return in_c / groups; }
  [[gnu::always_inline]] constexpr size_t group_out() const { return out_c / groups; }
  [[gnu::always_inline]] constexpr size_t depth() const { return kernel_h * kernel_w * group_in(); }
  [[gnu::always_inline]] constexpr size_t group_panels() const { return panel_count(group_out()); }
  [[gnu::always_inline]] constexpr size_t panels() const { return groups * group_panels(); }
};

struct ConvF32 {
  ConvShape shape;
  const float* x = nullptr;
  size_t x_ld = 0;           // floats from pixel to pixel, in_c when dense
  const float* w = nullptr;  // packed
  NarrowPanels narrow;       // the weights in 16 bits, instead of `w`; with its room
  float* y = nullptr;        // holds partial sums meanwhile, so it may overlap no input
  size_t y_ld = 0;           // floats from pixel to pixel, out_c when dense
  EpilogueF32 epilogue;      // bias over out_c; rows of the residual are pixels
};

// Floats of all groups' packed weights. The caller has made sure that they fit in memory.
size_t conv_packed_size(const ConvShape& shape);

// Packs weights [out_c][in_c / groups][kernel_h][kernel_w] (ONNX's order); for panels [p0, p1) of
// all.
void conv_pack_weights(const ConvShape& shape, const float* w, size_t p0, size_t p1, float* packed);
void conv_pack_weights(const ConvShape& shape, const uint16_t* w, size_t p0, size_t p1,
                       uint16_t* packed);

// Bytes of scratch that each concurrent call needs, aligned to 64. It may be 0.
size_t conv_scratch_bytes(const ConvShape& shape);

struct ConvF32Kernels {
  // Output pixels [q0, q1), panels [p0, p1) out of shape.panels().
  void (*run)(const ConvF32& conv, size_t q0, size_t q1, size_t p0, size_t p1, void* scratch);
};

const ConvF32Kernels& conv_f32_kernels(Isa isa);

const ConvF32Kernels& conv_f32_generic();
#if ORTC_ARITH_X86
const ConvF32Kernels& conv_f32_avx2();    // only on a CPU that has it
const ConvF32Kernels& conv_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
