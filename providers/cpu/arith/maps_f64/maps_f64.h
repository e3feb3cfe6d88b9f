// SPDX-License-Identifier: MIT
// Functions of contiguous f64 rows, y[i] = f(x[i]); y may be x. An element's bits do not depend on
// its place in the row.
//
// Bounds (bounds.h): tanh kTanhF64Ulp, decay kDecayF64Ulp, gelu_tanh kActivationErrorF64.
// Infinities, NaN, subnormals and signed zeros come out as IEEE 754 recommends.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct MapsF64Kernels {
  using Map = void (*)(const double* x, double* y, size_t n);
  Map tanh;
  Map decay;      // exp(-|x|); 0 where |x| is over 708
  Map gelu_tanh;  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
};

const MapsF64Kernels& maps_f64_kernels(Isa isa);

const MapsF64Kernels& maps_f64_generic();
#if ORTC_ARITH_X86
const MapsF64Kernels& maps_f64_avx2();    // only on a CPU that has it
const MapsF64Kernels& maps_f64_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
