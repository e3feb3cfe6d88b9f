// SPDX-License-Identifier: MIT
// Activation functions of recurrent operators, on rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"

namespace ortc::cpu {

enum class GateKind : uint32_t {
  kSigmoid = 0,
  kTanh = 1,
  kRelu = 2,
  kAffine = 3,           // alpha x + beta
  kLeakyRelu = 4,        // x < 0 ? alpha x : x
  kThresholdedRelu = 5,  // x >= alpha ? x : 0
  kScaledTanh = 6,       // alpha tanh(beta x)
  kHardSigmoid = 7,      // min(max(alpha x + beta, 0), 1)
  kElu = 8,              // x < 0 ? alpha (exp(x) - 1) : x
  kSoftsign = 9,         // x / (1 + |x|)
  kSoftplus = 10,        // log(1 + exp(x))
};
inline constexpr uint32_t kGateKinds = 11;

struct GateFunction {
  uint32_t kind;  // GateKind
  float alpha, beta;
};

// By its ONNX name, in any case, with the default numbers. `takes_alpha` and `takes_beta` say
// which of them a model may give.
Result<GateFunction> gate_function(std::string_view name, bool* takes_alpha, bool* takes_beta);

void apply_gate(const GateFunction& function, const VectorF32Kernels& vector, float* x, int64_t n);
void apply_gate(const GateFunction& function, const VectorF32Kernels& vector, double* x, int64_t n);

}  // namespace ortc::cpu
