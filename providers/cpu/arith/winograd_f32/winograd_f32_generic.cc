// SPDX-License-Identifier: MIT
// Winograd's f32 convolution in plain C++, for any CPU.

#include "providers/cpu/arith/winograd_f32/winograd_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/winograd_f32/winograd_plan.h"
#include "providers/cpu/arith/winograd_f32/winograd_f32.inc"
// clang-format on

namespace ortc::cpu {

const WinogradF32Kernels& winograd_f32_generic() {
  static constexpr WinogradF32Kernels kKernels = {
      [](const ConvF32& conv, size_t t0, size_t t1, size_t p0, size_t p1, void* scratch) {
        winograd_run(gemm_f32_generic(), conv, t0, t1, p0, p1, scratch);
      }};
  return kKernels;
}

}  // namespace ortc::cpu
