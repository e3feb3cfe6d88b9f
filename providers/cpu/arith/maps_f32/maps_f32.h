// SPDX-License-Identifier: MIT
// More functions of one f32 span, element by element: rounding, trigonometry, and the activations
// that are not an epilogue's.
//
// y may be x. An element's bits do not depend on its position in the span. Bounds (bounds.h):
// floor, ceil and round are exact; sin and cos kSinUlp where |x| <= 8192, and the standard
// library's beyond; tan kTanUlp, asin and acos kAsinUlp, atan kAtanUlp, sinh kSinhUlp, softsign
// kSoftsignUlp, softplus kSoftplusUlp, elu and its like kExponentialUlp. Infinities, NaN,
// subnormals and signed zeros come out as IEEE 754 recommends.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// y = gamma * (x > 0 ? x : alpha * expm1(x / divisor)): Elu, Selu and Celu.
struct ExponentialLine {
  float alpha = 1.0f, divisor = 1.0f, gamma = 1.0f;
};

struct MapsF32Kernels {
  using Unary = void (*)(const float* x, float* y, size_t n);

  Unary floor;
  Unary ceil;
  Unary round;  // halves to the even neighbour
  Unary abs;
  Unary negate;
  Unary reciprocal;
  Unary softsign;  // x / (1 + |x|)
  Unary softplus;  // log(1 + exp(x))
  Unary sin;
  Unary cos;
  Unary tan;
  Unary asin;
  Unary acos;
  Unary atan;
  Unary sinh;
  void (*exponential)(const ExponentialLine& line, const float* x, float* y, size_t n);
  // min(max(alpha * x + beta, 0), 1), the line with two roundings; NaN passes.
  void (*hard_sigmoid)(float alpha, float beta, const float* x, float* y, size_t n);
  // x > alpha ? x : 0, which is 0 for NaN.
  void (*threshold)(float alpha, const float* x, float* y, size_t n);
};

const MapsF32Kernels& maps_f32_kernels(Isa isa);

const MapsF32Kernels& maps_f32_generic();
#if ORTC_ARITH_X86
const MapsF32Kernels& maps_f32_avx2();    // only on a CPU that has it
const MapsF32Kernels& maps_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
