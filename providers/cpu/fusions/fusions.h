// SPDX-License-Identifier: MIT
// The rewrites of the second half: standard ONNX in, operators of kInternalDomain out
// (docs/design/internal-operators.md). Each works on one graph and says how often it matched; a
// match looks at types, constants and other readers first.
#pragma once

#include "core/compile/lowering.h"
#include "core/rewrite/facts.h"

namespace ortc::cpu {

// Constants of enclosing graphs that a body reads are its own.
Result<int> localise_captured_constants(Graph& graph, const KernelRegistry& kernels);
// ONNX's operators on types, or mixtures of types, that have no kernel of their own.
Result<int> spell_out_mixed_types(Graph& graph, const KernelRegistry& kernels);
bool has_mixed_types(const Node& node);
// Movement, concatenation and functions of one quantised number on the integers.
Result<int> move_quantised(Graph& graph, const KernelRegistry& kernels);
// Sums, products and averages of quantised tensors.
Result<int> fuse_quantised_elementwise(Graph& graph, const KernelRegistry& kernels);
// Products of 8-bit tensors by constant 8-bit weights -> ortc.QGemm and ortc.QConv.
Result<int> fuse_quantised_products(Graph& graph, const KernelRegistry& kernels);
// Convolutions of quantised lines and volumes, or by computed weights -> QLinearConv.
Result<int> fuse_quantised_windows(Graph& graph, const KernelRegistry& kernels);
// QLinearConv and ConvInteger over one axis -> over two.
Result<int> show_quantised_lines_as_images(Graph& graph, const KernelRegistry& kernels);
// Products of floats by weights of 8 or 4 bits: the weights stay so. Rows are rounded to 8 bits, or
// stay floats.
Result<int> keep_small_weights(Graph& graph, const KernelRegistry& kernels);
Result<int> keep_small_weights_in_float(Graph& graph, const KernelRegistry& kernels);
// MatMulIntegerToFloat and DynamicQuantizeMatMul that are left: spelled out in ONNX's operators.
Result<int> spell_out_float_products(Graph& graph, const KernelRegistry& kernels);
// Such a node, for which there is no kernel: one of the two rewrites takes it.
bool is_float_product(const Graph& graph, const Node& node);
// FlexAttention with its bodies, in ONNX's operators.
Result<int> spell_out_flex_attention(Graph& graph, const KernelRegistry& kernels);
bool is_flex_attention(const Graph& graph, const Node& node);
// Operators of com.microsoft that are others in a row.
Result<int> spell_out_microsoft(Graph& graph, const KernelRegistry& kernels);
bool is_spelled_out(const Graph& graph, const Node& node);
// Constants that are sparse values, not dense ones.
Result<int> make_sparse_constants(Graph& graph, const KernelRegistry& kernels);
bool is_sparse_constant(const Graph& graph, const Node& node);
// What is left of DequantizeLinear of constants.
Result<int> fold_dequantised_constants(Graph& graph, const KernelRegistry& kernels);
// float16 and bfloat16 stretches compute in float32; weights of products stay as they are.
Result<int> compute_halves_in_float(Graph& graph, const KernelRegistry& kernels);
// Such weights that no kernel for them has come to read become float32.
Result<int> widen_left_weights(Graph& graph, const KernelRegistry& kernels);
// com.microsoft's Attention with constant weights -> ortc.Gemm and ortc.ProjectedAttention.
Result<int> pack_attention_weights(Graph& graph, const KernelRegistry& kernels);
// RNN, GRU and LSTM with constant weights -> the same of kInternalDomain.
Result<int> pack_recurrent_weights(Graph& graph, const KernelRegistry& kernels);
// MatMul and Gemm by a constant matrix -> ortc.Gemm.
Result<int> fuse_constant_matmul(Graph& graph, const KernelRegistry& kernels);
// MatMul of two computed tensors, Transposes of the last two dims and scalar scales around it ->
// ortc.BatchedMatMul.
Result<int> fuse_batched_matmul(Graph& graph, const KernelRegistry& kernels);
// Conv, pools and what lies between them over one axis -> the same over two.
Result<int> show_lines_as_images(Graph& graph, const KernelRegistry& kernels);
// BatchNormalization in front of a convolution -> Conv of one pixel.
Result<int> show_batch_norms_as_windows(Graph& graph, const KernelRegistry& kernels);
// ortc.Gemm or ortc.Conv, + bias, + residual, activation -> one node; the 8-bit ones too.
Result<int> fuse_epilogues(Graph& graph, const KernelRegistry& kernels);
// ortc.QGemm or ortc.QConv whose result is quantised -> one node.
Result<int> fuse_requantisation(Graph& graph, const KernelRegistry& kernels);
// Conv, pools and everything between them in channels-last form; Transposes only at the border.
Result<int> assign_channels_last(Graph& graph, const KernelRegistry& kernels);
// ortc.Conv that has what it takes -> ortc.WinogradConv. Only where it was asked for.
Result<int> use_winograd(Graph& graph, const KernelRegistry& kernels);

struct LoweringChoice {
  bool rounds_rows = true;  // see keep_small_weights()
  bool winograd = false;    // see use_winograd()
};
// All of them, and the kernels that they serve.
const LoweringRules& lowering_rules(LoweringChoice choice = {});

}  // namespace ortc::cpu
