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
// Weights that the type cannot hold (a number beyond 65504 in float16), that are small, or that
// somebody else reads as they are, stay. Says how many were converted.
Result<int> convert_weights(Graph& graph, WeightType type);

}  // namespace ortc::aot
