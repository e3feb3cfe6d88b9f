// SPDX-License-Identifier: MIT
// What SVMClassifier and SVMRegressor (ai.onnx.ml) keep of their attributes: a record that is made
// with the plan and read by those that bind and run it.
#pragma once

#include <span>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/record_column.h"

namespace ortc::cpu {

enum class SvmKernel : uint32_t { kLinear, kPoly, kRbf, kSigmoid };

// Behind it stand columns: coefficients, support vectors, rho (floats); and of a classifier:
// vectors of each class (int64), prob_a, prob_b (floats), labels.
struct SvmParams {
  uint32_t record_bytes;
  uint32_t kernel;
  float gamma, coef0, degree;
  uint32_t transform;
  uint32_t is_one_class;
  uint32_t reserved;
};
static_assert(sizeof(SvmParams) == 32);

// A record as it is read; the spans point into it.
struct Svm {
  SvmParams params{};
  std::span<const float> coefficients, vectors, rho, prob_a, prob_b;
  std::span<const int64_t> per_class;
  Column labels;
  int64_t vector_count = 0;  // 0: a linear model
  int64_t features = 0;
  int64_t rows = 1;    // of coefficients, of a linear model
  int64_t scores = 1;  // that come out

  int64_t classes() const { return static_cast<int64_t>(labels.count()); }
  int64_t pairs() const { return classes() * (classes() - 1) / 2; }
};

// `record`: at least SvmParams. INVALID_GRAPH when what it has does not fit together.
Result<Svm> read_svm_regressor(Bytes record);
Result<Svm> read_svm_classifier(Bytes record);

// INVALID_GRAPH names an attribute that is wrong, what it has and what is expected; NOT_IMPLEMENTED
// for one class or more than 65,535, and for PROBIT of one score.
Status prepare_svm_regressor(PrepareContext& ctx);
Status prepare_svm_classifier(PrepareContext& ctx);

}  // namespace ortc::cpu
