// SPDX-License-Identifier: MIT
// Weights that compiling makes smaller when it is asked to (ep.aot.weights): results are no longer
// those of the model, `ortc compare` says by how much.
#pragma once

#include "core/graph/graph.h"

namespace ortc::aot {

enum class WeightType : int {
  kModel = 0,     // as the model has them
  kFloat16 = 1,   // float32 weights of MatMul, Gemm, Conv, and tables of Gather
  kBfloat16 = 2,  // the same
  kInt8 = 3,      // matrices of MatMul and Gemm: a float32 scale for each column
  kInt4 = 4,      // matrices of MatMul and Gemm: blocks of 32 along K, each with a float32 scale
};

// Rewrites the graph and its sub-graphs: weights in 16 bits beside float32 inputs, ortc.Gemm of
// int8, or MatMulNBits.
// Weights that the type cannot hold (in float16 a number beyond 65504, or none as large as 2^-14),
// that are small, or, with 16 bits, that others read as they are, stay. What others read
// stays beside its 8 or 4 bits: a table of Gather that is the output's matrix as well.
// Says how many were converted.
Result<int> convert_weights(Graph& graph, WeightType type);

}  // namespace ortc::aot
