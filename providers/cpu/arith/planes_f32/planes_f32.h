// SPDX-License-Identifier: MIT
// f32 convolution in ONNX's layout: vectors run along lines of pixels, weights are broadcast.
//
// The image has been spread over planes (`spread`): zeros beside it, and of a stride every
// phase in a plane of its own. So tap k of the output pixel in row r and column c is
// x[places[k] + r * pitch + c], whatever stride, dilation and padding are.
//
//   y[channel * y_ld + r * columns + c] = bias[channel] + sum over k of w[channel * w_ld + k] * tap
//
// The order of summation is that of k: y has the same bits however channels and rows are divided
// among calls. Bound (bounds.h): conv_f32_error(depth) times the sum of the terms' sizes. Weights
// are multiplied by the zeros beside the image: infinite ones show it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// Floats behind a plane that may be written while it is spread, and read to no effect.
inline constexpr size_t kPlaneSlack = 32;

struct PlanesF32 {
  const float* x = nullptr;
  const uint32_t* places = nullptr;  // of `depth` taps
  size_t depth = 0;
  size_t pitch = 1;              // floats from a row of pixels to the next, at least `columns`
  size_t rows = 0, columns = 0;  // of the output
  size_t channels = 0;           // of the output
  const float* w = nullptr;
  size_t w_ld = 0;
  const float* bias = nullptr;  // or null
  float* y = nullptr;           // overlaps nothing that is read
  size_t y_ld = 0;
  // Where taps are neighbours in rows one below the other: how many a row has; otherwise 0.
  size_t row_taps = 0;
};

// One plane for each phase of the columns. Phase p has the positions stride * i + p of a line that
// is padded with `pad` zeros. The zeros in front are left out: a line begins with the image and
// ends with zeros up to `pitch`, which are in front of the next one too. In front of the first line
// there are `front` zeros.
//
//   to[phase * plane + front + line * pitch + i] for lines of zeros, of the image, of zeros
//
// Behind each plane there is room for kPlaneSlack floats.
struct SpreadF32 {
  const float* x = nullptr;
  size_t x_ld = 0, in = 0;
  size_t above = 0, lines = 0, below = 0;
  size_t pad = 0, stride = 1, phases = 1;
  float* to = nullptr;
  size_t plane = 0, front = 0, pitch = 0;
};

// The zeros that a phase leaves out, and how many of `in` elements it has.
constexpr size_t phase_begin(size_t pad, size_t stride, size_t phase) {
  return pad > phase ? (pad - phase + stride - 1) / stride : 0;
}
constexpr size_t phase_count(size_t in, size_t pad, size_t stride, size_t phase) {
  const size_t all = in + pad > phase ? (in + pad - phase + stride - 1) / stride : 0;
  const size_t begin = phase_begin(pad, stride, phase);
  return all > begin ? all - begin : 0;
}

struct PlanesF32Kernels {
  // For many channels: some of them share what is loaded.
  void (*product)(const PlanesF32& planes);
  // For few channels: rows share what is loaded.
  void (*window)(const PlanesF32& planes);
  void (*spread)(const SpreadF32& spread);
};

const PlanesF32Kernels& planes_f32_kernels(Isa isa);

const PlanesF32Kernels& planes_f32_generic();
#if ORTC_ARITH_X86
const PlanesF32Kernels& planes_f32_avx2();    // only on a CPU that has it
const PlanesF32Kernels& planes_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
