// SPDX-License-Identifier: MIT
// f32 products of two computed matrices, batched: MatMul, ortc.BatchedMatMul and ONNX's Gemm.
//
//   c[batch] = alpha * op(a[batch]) op(b[batch]) + bias
//
// A work item packs a few panels of one B into its thread's scratch and multiplies them by rows of
// A. Few rows times a transposed B, and products with one row or column, need no packing. A
// transposed A is turned by the items, or, where several of them need the same rows, all of it
// first. What is computed for an element does not depend on the number of threads.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/dim_list.h"

namespace ortc::cpu {

struct BatchedProduct {
  int64_t m = 0, k = 0, n = 0;
  bool trans_a = false;  // a is stored [k, m]
  bool trans_b = false;  // b is stored [n, k]
  DimList batch_dims;
  DimList a_strides, b_strides;  // by batch dimension, in matrices; 0 repeats
  int64_t batch_count = 1;

  // Batches that share one B and follow each other in A become rows.
  void fold_rows();
};

// Fills sizes from two shapes as numpy.matmul reads them (a vector is a row on the left, a column
// on the right), and gives the result's shape. INVALID_ARGUMENT when they do not fit.
Status make_batched_product(std::span<const int64_t> a, std::span<const int64_t> b, bool trans_a,
                            bool trans_b, BatchedProduct* product, DimList* out_dims);

// Where the matrices of batch i begin, counted in matrices.
int64_t batch_offset(const BatchedProduct& product, const DimList& strides, int64_t i);

// Bytes of scratch for a run on so many threads; nothing on overflow.
std::optional<uint64_t> product_scratch(const BatchedProduct& product, int thread_count);
// The same for this product and all like it with fewer rows or columns, or, where B is not
// transposed, less depth: they are divided in other ways and may take more. Only for an A that is
// not transposed.
std::optional<uint64_t> product_scratch_up_to(const BatchedProduct& product, int thread_count);

struct ProductOperandsF32 {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  float alpha = 1.0f;
  const float* bias = nullptr;  // n numbers, or null
};

void run_batched_product(const RunContext& ctx, const BatchedProduct& product,
                         const ProductOperandsF32& operands);

}  // namespace ortc::cpu
