// SPDX-License-Identifier: MIT
// The sums of SVMClassifier and SVMRegressor (ai.onnx.ml): what the support vectors, or without
// them the features, add to the scores of many rows. Constants of the models are in svm_record.h.
//
// Rows are columns here: a score has a number for each row of a group, one behind the other. Where
// the kernel is linear, and scores are fewer than vectors, a score is one vector: the sum of the
// support vectors times their coefficients.
#pragma once

#include <cstdint>
#include <optional>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/kernels/ml/svm_record.h"

namespace ortc::cpu {

// The sums that a row has: of a regressor one, of a classifier those of its pairs of classes, or
// without support vectors those of its classes.
int64_t svm_sum_count(const Svm& svm);

// Numbers of the vectors that stand for all support vectors; 0 where there are none.
int64_t svm_weight_count(const Svm& svm, int64_t rows);

// From a sum of so many rows to the next: whole panels of a product.
constexpr int64_t svm_sum_stride(int64_t rows) {
  constexpr auto kPanel = static_cast<int64_t>(kColumnsF64);
  return (rows + kPanel - 1) / kPanel * kPanel;
}

// Doubles that a group of rows needs beside its sums.
std::optional<int64_t> svm_sum_scratch(const Svm& svm, int64_t rows_at_once);

// Makes those vectors; `scratch` has room for svm_sum_scratch().
void make_svm_weights(const RunContext& ctx, const Svm& svm, double* weights, double* scratch);

// sums[s svm_sum_stride(rows) + i] = sum s of row `row` + i of input 0, for so many rows of a run's
// `all_rows`; null `weights`: there are none.
void sum_up_svm(const RunContext& ctx, const Svm& svm, const double* weights, int64_t all_rows,
                int64_t row, int64_t rows, double* scratch, double* sums);

}  // namespace ortc::cpu
