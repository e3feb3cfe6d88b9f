// SPDX-License-Identifier: MIT
// Elementwise functions, softmax and normalisations over contiguous f32 rows.
//
// Every y may be the same span as an input (not a shifted one). An element's bits do not depend on
// its position in the span, nor on how a span is cut, except in the row functions, which see whole
// rows. Bounds (bounds.h): of the elementary functions kExpUlp, kLogUlp, kSigmoidUlp, kTanhUlp,
// kErfUlp, kSqrtUlp; of activations kActivationError; of rows softmax_error, log_softmax_error and
// norm_error. Infinities, NaN, subnormals and signed zeros come out as IEEE 754 recommends.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// One row of a layer or RMS normalisation:
//   t = x + skip + skip_bias          (the last two are optional)
//   y = (t - mean(t)) / sqrt(var(t) + epsilon) * scale + bias      layer
//   y = t / sqrt(mean(t^2) + epsilon) * scale + bias               RMS
struct NormRowF32 {
  const float* x = nullptr;
  const float* skip = nullptr;
  const float* skip_bias = nullptr;
  const float* scale = nullptr;  // null means one_scale for all elements
  const float* bias = nullptr;   // null means one_bias
  float one_scale = 1.0f;
  float one_bias = 0.0f;
  float* sum = nullptr;  // receives t where not null
  float* y = nullptr;
  size_t n = 0;
  float epsilon = 0.0f;
};

struct NormStatsF32 {
  float mean;     // 0 for RMS
  float inverse;  // 1 / sqrt(variance or mean square + epsilon)
};

struct VectorF32Kernels {
  using Unary = void (*)(const float* x, float* y, size_t n);
  using Binary = void (*)(const float* a, const float* b, float* y, size_t n);
  using WithScalar = void (*)(const float* a, float b, float* y, size_t n);

  Unary exp;
  Unary log;
  Unary erf;
  Unary tanh;
  Unary sigmoid;
  Unary gelu;
  Unary gelu_tanh;
  Unary silu;
  Unary sqrt;
  void (*activate)(const ActivationF32& activation, const float* x, float* y, size_t n);

  // min and max give NaN when either operand is NaN.
  Binary add;
  Binary sub;
  Binary mul;
  Binary div;
  Binary min;
  Binary max;
  WithScalar add_scalar;
  WithScalar sub_scalar;       // a - b
  WithScalar sub_from_scalar;  // b - a
  WithScalar mul_scalar;
  WithScalar div_scalar;     // a / b
  WithScalar div_of_scalar;  // b / a
  WithScalar min_scalar;
  WithScalar max_scalar;

  // y = a b + c; rounded once where the instruction set has it.
  void (*multiply_add)(const float* a, const float* b, const float* c, float* y, size_t n);
  // y = s x + b; rounded once where the instruction set has it.
  void (*scale_and_add)(const float* x, float s, float b, float* y, size_t n);
  // y += s x; rounded once where the instruction set has it.
  void (*add_scaled)(const float* x, float s, float* y, size_t n);
  // y += x for so many lines of n, which begin `x_line` and `y_line` floats apart.
  void (*add_lines)(const float* x, size_t x_line, float* y, size_t y_line, size_t lines, size_t n);

  float (*sum)(const float* x, size_t n);      // 0 for n = 0
  float (*maximum)(const float* x, size_t n);  // NaN is ignored; -inf for n = 0

  // y = softmax(scale x + mask); a null mask means 0. A row of nothing but -inf gives NaN.
  void (*softmax)(const float* x, float scale, const float* mask, float* y, size_t n);
  void (*log_softmax)(const float* x, float* y, size_t n);

  NormStatsF32 (*layer_norm)(const NormRowF32& row);
  NormStatsF32 (*rms_norm)(const NormRowF32& row);
  // Rows that stand as columns, in place: x[i columns + j] is element i of row j, which has a scale
  // and a bias of its own.
  void (*layer_norm_columns)(float* x, size_t n, size_t columns, float epsilon, const float* scale,
                             const float* bias);
};

const VectorF32Kernels& vector_f32_kernels(Isa isa);

const VectorF32Kernels& vector_f32_generic();
#if ORTC_ARITH_X86
const VectorF32Kernels& vector_f32_avx2();    // only on a CPU that has it
const VectorF32Kernels& vector_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
