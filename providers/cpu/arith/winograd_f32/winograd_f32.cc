// SPDX-License-Identifier: MIT
// The part of Winograd's convolution that knows no instruction set: turning and packing the
// weights, scratch, choice of kernels.

#include "providers/cpu/arith/winograd_f32/winograd_f32.h"

#include "core/platform/cpu.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/winograd_f32/winograd_plan.h"

namespace ortc::cpu {
namespace {

constexpr size_t kTaps = 3, kSide = 4;

// G v, for three numbers that lie `step` apart.
template <typename T>
void turn_taps(const T* v, size_t step, double* to, size_t to_step) {
  const double a = static_cast<double>(v[0]), b = static_cast<double>(v[step]),
               c = static_cast<double>(v[2 * step]);
  to[0] = a;
  to[to_step] = (a + b + c) / 2;
  to[2 * to_step] = (a - b + c) / 2;
  to[3 * to_step] = c;
}

// G g Gt.
void turn_weights(const float* g, double (&turned)[kWinogradPlaces]) {
  double columns[kSide * kTaps];
  for (size_t j = 0; j < kTaps; ++j) turn_taps(g + j, kTaps, columns + j, kTaps);
  for (size_t i = 0; i < kSide; ++i) turn_taps(columns + i * kTaps, 1, turned + i * kSide, 1);
}

}  // namespace

size_t winograd_packed_size(const ConvShape& shape) {
  return kWinogradPlaces * packed_size(shape.in_c, shape.out_c);
}

void winograd_pack_weights(const ConvShape& shape, const float* w, size_t p0, size_t p1,
                           float* packed) {
  const size_t place_floats = shape.in_c * kPanelColumns;
  for (size_t p = p0; p < p1; ++p) {
    float* panel = packed + p * kWinogradPlaces * place_floats;
    for (size_t j = 0; j < kPanelColumns; ++j) {
      const size_t co = p * kPanelColumns + j;
      for (size_t c = 0; c < shape.in_c; ++c) {
        double turned[kWinogradPlaces] = {};
        if (co < shape.out_c) turn_weights(w + (co * shape.in_c + c) * kTaps * kTaps, turned);
        float* to = panel + c * kPanelColumns + j;
        for (size_t place = 0; place < kWinogradPlaces; ++place) {
          to[place * place_floats] = static_cast<float>(turned[place]);
        }
      }
    }
  }
}

size_t winograd_scratch_bytes(const ConvShape& shape) { return winograd_plan(shape.in_c).bytes(); }

const WinogradF32Kernels& winograd_f32_kernels(Isa isa) {
  find_host_look_ahead();
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return winograd_f32_avx512();
  if (isa == Isa::kAvx2) return winograd_f32_avx2();
#endif
  (void)isa;
  return winograd_f32_generic();
}

}  // namespace ortc::cpu
