// SPDX-License-Identifier: MIT
// Activation functions of recurrent operators: see the header.
#include "providers/cpu/products/gate_function.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/ascii.h"

namespace ortc::cpu {
namespace {

struct Named {
  std::string_view name;
  GateKind kind;
  float alpha, beta;
  bool takes_alpha, takes_beta;
};
constexpr Named kNames[] = {
    {"sigmoid", GateKind::kSigmoid, 0, 0, false, false},
    {"tanh", GateKind::kTanh, 0, 0, false, false},
    {"relu", GateKind::kRelu, 0, 0, false, false},
    {"affine", GateKind::kAffine, 1, 0, true, true},
    {"leakyrelu", GateKind::kLeakyRelu, 0.01f, 0, true, false},
    {"thresholdedrelu", GateKind::kThresholdedRelu, 1, 0, true, false},
    {"scaledtanh", GateKind::kScaledTanh, 1, 1, true, true},
    {"hardsigmoid", GateKind::kHardSigmoid, 0.2f, 0.5f, true, true},
    {"elu", GateKind::kElu, 1, 0, true, false},
    {"softsign", GateKind::kSoftsign, 0, 0, false, false},
    {"softplus", GateKind::kSoftplus, 0, 0, false, false},
};

template <typename T>
T value_of(const GateFunction& function, T x) {
  const auto a = static_cast<T>(function.alpha), b = static_cast<T>(function.beta);
  switch (static_cast<GateKind>(function.kind)) {
    case GateKind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case GateKind::kTanh:
      return std::tanh(x);
    case GateKind::kRelu:
      return x < 0 ? T(0) : x;
    case GateKind::kAffine:
      return a * x + b;
    case GateKind::kLeakyRelu:
      return x < 0 ? a * x : x;
    case GateKind::kThresholdedRelu:
      return x < a ? T(0) : x;
    case GateKind::kScaledTanh:
      return a * std::tanh(b * x);
    case GateKind::kHardSigmoid:
      return std::clamp(a * x + b, T(0), T(1));
    case GateKind::kElu:
      return x < 0 ? a * std::expm1(x) : x;
    case GateKind::kSoftsign:
      return x / (1 + std::fabs(x));
    case GateKind::kSoftplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  return x;
}

}  // namespace

Result<GateFunction> gate_function(std::string_view name, bool* takes_alpha, bool* takes_beta) {
  const std::string lower = ascii_lower(name);
  for (const Named& named : kNames) {
    if (named.name != lower) continue;
    *takes_alpha = named.takes_alpha;
    *takes_beta = named.takes_beta;
    return GateFunction{static_cast<uint32_t>(named.kind), named.alpha, named.beta};
  }
  return invalid_graph("the activation '", name, "' is unknown");
}

void apply_gate(const GateFunction& function, const VectorF32Kernels& vector, float* x, int64_t n) {
  const auto kind = static_cast<GateKind>(function.kind);
  if (kind == GateKind::kSigmoid) {
    vector.sigmoid(x, x, static_cast<size_t>(n));
  } else if (kind == GateKind::kTanh) {
    vector.tanh(x, x, static_cast<size_t>(n));
  } else {
    for (int64_t i = 0; i < n; ++i) x[i] = value_of(function, x[i]);
  }
}

void apply_gate(const GateFunction& function, const VectorF32Kernels&, double* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = value_of(function, x[i]);
}

}  // namespace ortc::cpu
