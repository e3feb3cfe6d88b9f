// SPDX-License-Identifier: MIT
// Activations and the epilogue that product kernels (GEMM, convolution) apply while their result is
// still in registers or L1:
//
//   y[m][n] = act(scale * product[m][n] + bias[n] + residual[m * residual_ld + n])
//
// NaN passes through every activation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {

enum class Activation : uint8_t {
  kNone,
  kRelu,
  kClip,      // min(max(x, lo), hi)
  kGelu,      // 0.5 x (1 + erf(x / sqrt 2))
  kGeluTanh,  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  kSilu,      // x sigmoid(x)
  kSigmoid,   // 1 / (1 + exp(-x))
  kTanh,
  kHardSwish,  // x min(max(x / 6 + 0.5, 0), 1)
  kLeakyRelu,  // x < 0 ? slope x : x
  kMish,       // x tanh(log(1 + exp(x)))
};

struct ActivationF32 {
  Activation kind = Activation::kNone;
  float lo = 0.0f;     // kClip
  float hi = 0.0f;     // kClip
  float slope = 0.0f;  // kLeakyRelu
};

struct EpilogueF32 {
  const float* bias = nullptr;      // one value per column; null means none
  const float* residual = nullptr;  // a matrix like the result; null means none; may not overlap it
  size_t residual_ld = 0;
  float scale = 1.0f;  // of the product alone
  ActivationF32 activation;
};

}  // namespace ortc::cpu
