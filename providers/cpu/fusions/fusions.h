// SPDX-License-Identifier: MIT
// The rewrites of the second half: standard ONNX in, operators of kInternalDomain out
// (docs/design/internal-operators.md). Each works on one graph and says how often it matched; a
// match looks at types, constants and other readers first.
//
// In the order in which they run; each in the file of its name.
#pragma once

#include "core/compile/lowering.h"
#include "core/rewrite/facts.h"

namespace ortc::cpu {

// Constants of enclosing graphs that a body reads become its own.
Result<int> captured_constants(Graph& graph, const KernelRegistry& kernels);
// Constants that are sparse values, not dense ones.
Result<int> sparse_constants(Graph& graph, const KernelRegistry& kernels);
bool is_sparse_constant(const Node& node);
// FlexAttention with its bodies, spelled out in ONNX's operators.
Result<int> flex_attention(Graph& graph, const KernelRegistry& kernels);
bool is_flex_attention(const Node& node);
// Operators of com.microsoft that are others in a row: spelled out.
Result<int> microsoft(Graph& graph, const KernelRegistry& kernels);
bool is_spelled_out(const Node& node);
// ONNX's operators on types, or mixtures of types, that have no kernel of their own: spelled out.
Result<int> mixed_types(Graph& graph, const KernelRegistry& kernels);
bool has_mixed_types(const Node& node);
// x * Tanh(Softplus(x)) -> Mish.
Result<int> whole_mish(Graph& graph, const KernelRegistry& kernels);
// float16 and bfloat16 stretches compute in float32; weights of products stay as they are.
Result<int> half_precision(Graph& graph, const KernelRegistry& kernels);
// Movement, concatenation and functions of one quantised number on the integers.
Result<int> quantised_movement(Graph& graph, const KernelRegistry& kernels);
// Sums, products and averages of quantised tensors.
Result<int> quantised_elementwise(Graph& graph, const KernelRegistry& kernels);
// Convolutions of quantised lines and volumes, or by computed weights -> QLinearConv.
Result<int> quantised_windows(Graph& graph, const KernelRegistry& kernels);
// QLinearConv and ConvInteger over one axis -> over two.
Result<int> quantised_lines(Graph& graph, const KernelRegistry& kernels);
// Products of 8-bit tensors by constant 8-bit weights -> ortc.QGemm and ortc.QConv.
Result<int> quantised_products(Graph& graph, const KernelRegistry& kernels);
// Products of floats by weights of 8 or 4 bits: the weights stay so. Rows are rounded to 8 bits, or
// stay floats.
Result<int> quantised_weights(Graph& graph, const KernelRegistry& kernels);
Result<int> quantised_weights_in_float(Graph& graph, const KernelRegistry& kernels);
// MatMulIntegerToFloat and DynamicQuantizeMatMul that are left: spelled out in ONNX's operators.
Result<int> float_products(Graph& graph, const KernelRegistry& kernels);
// Such a node, for which there is no kernel: one of the two rewrites takes it.
bool is_float_product(const Node& node);
// What is left of DequantizeLinear of constants: folded.
Result<int> dequantised_constants(Graph& graph, const KernelRegistry& kernels);
// com.microsoft's Attention with constant weights -> ortc.Gemm and ortc.ProjectedAttention.
Result<int> attention_weights(Graph& graph, const KernelRegistry& kernels);
// RNN, GRU and LSTM with constant weights -> the same of kInternalDomain.
Result<int> recurrent_weights(Graph& graph, const KernelRegistry& kernels);
// MatMul and Gemm by a constant matrix -> ortc.Gemm.
Result<int> constant_matmul(Graph& graph, const KernelRegistry& kernels);
// MatMul of two computed tensors, Transposes of the last two dims and scalar scales around it ->
// ortc.BatchedMatMul.
Result<int> batched_matmul(Graph& graph, const KernelRegistry& kernels);
// ConvTranspose without strides by constant weights -> Conv.
Result<int> plain_transposed(Graph& graph, const KernelRegistry& kernels);
// Conv, pools and what lies between them over one axis -> the same over two.
Result<int> lines_as_images(Graph& graph, const KernelRegistry& kernels);
// BatchNormalization in front of a convolution -> Conv of one pixel.
Result<int> lone_batch_norms(Graph& graph, const KernelRegistry& kernels);
// ortc.Gemm or ortc.Conv, + bias, + residual, activation -> one node; the 8-bit ones too.
Result<int> epilogues(Graph& graph, const KernelRegistry& kernels);
// ortc.QGemm, ortc.QConv or ortc.QMatMul whose result is quantised -> one node.
Result<int> requantisation(Graph& graph, const KernelRegistry& kernels);
// Conv, pools and everything between them in channels-last form; Transposes only at the border.
Result<int> channels_last(Graph& graph, const KernelRegistry& kernels);
// 16-bit weights that no kernel for them has come to read become float32.
Result<int> left_half_weights(Graph& graph, const KernelRegistry& kernels);
// ortc.Conv that has what it takes -> ortc.WinogradConv. Only where it was asked for.
Result<int> winograd(Graph& graph, const KernelRegistry& kernels);

struct LoweringChoice {
  bool rounds_rows = true;  // see quantised_weights()
  bool winograd = false;    // see winograd()
};
// All of them, and the kernels that they serve.
const LoweringRules& lowering_rules(LoweringChoice choice = {});

}  // namespace ortc::cpu
