// SPDX-License-Identifier: MIT
// f32 convolution of 3x3 windows with stride 1 by Winograd's F(2x2, 3x3): 16 products of channels
// give four pixels of the result, where the direct form takes 36. Channels last, operands as in
// conv_f32.h; dilation 1 and one group.
//
//   Y = At [ (G g Gt) * (Bt d B) ] A     g: 3x3 weights, d: 4x4 pixels of x, Y: 2x2 pixels of y
//
// The products of a place of the 4x4 are a matrix product over the channels, with one row for each
// tile of 2x2 output pixels. Packed weights: for each panel of 32 output channels the 16 places one
// after the other, each in_c rows of 32 floats, filled up with zeros. They were turned in double
// and rounded once.
//
// Tile (image * tiles_h + th) * tiles_w + tw is row m, and a work item is a range of tiles times a
// range of panels. y has the same bits however they are divided among calls.
//
// Bound (bounds.h): before its activation an element is off by winograd_f32_error(in_c) times the
// sum of the sizes of the formula's terms, |At| [ (|G| |g| |Gt|) * (|Bt| |d| |B|) ] |A|, at most.
// Where the pixels of a tile are about as large as each other, the root mean square of the errors
// is smaller than the direct form's, as each of its sums is a ninth as long. But an element feels
// the roundings of all 16 pixels, also of those that its window does not see; and NaN, infinities,
// and numbers beyond a quarter of the largest float reach all pixels of their tiles.
#pragma once

#include "providers/cpu/arith/conv_f32/conv_f32.h"

namespace ortc::cpu {

// Whether a convolution of this kind can be done so. Sizes of the images are not asked.
[[gnu::always_inline]] constexpr bool is_for_winograd(const ConvShape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.groups == 1;
}

[[gnu::always_inline]] constexpr size_t winograd_tiles(const ConvShape& s) {
  return s.batch * ((s.out_h + 1) / 2) * ((s.out_w + 1) / 2);
}

inline constexpr size_t kWinogradPlaces = 16;

// Floats of the packed weights. The caller has made sure that they fit in memory.
size_t winograd_packed_size(const ConvShape& shape);

// Packs weights [out_c][in_c][3][3] (ONNX's order); for panels [p0, p1) of all.
void winograd_pack_weights(const ConvShape& shape, const float* w, size_t p0, size_t p1,
                           float* packed);

// Bytes of scratch that each concurrent call needs, aligned to 64.
size_t winograd_scratch_bytes(const ConvShape& shape);

struct WinogradF32Kernels {
  // Tiles [t0, t1) out of winograd_tiles(), panels [p0, p1) out of shape.panels(). conv.w is packed
  // as above, conv.narrow is not read.
  void (*run)(const ConvF32& conv, size_t t0, size_t t1, size_t p0, size_t p1, void* scratch);
};

const WinogradF32Kernels& winograd_f32_kernels(Isa isa);

const WinogradF32Kernels& winograd_f32_generic();
#if ORTC_ARITH_X86
const WinogradF32Kernels& winograd_f32_avx2();    // only on a CPU that has it
const WinogradF32Kernels& winograd_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
