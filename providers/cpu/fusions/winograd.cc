// SPDX-License-Identifier: MIT
// Convolutions by Winograd's F(2x2, 3x3), where that is faster:
//
//   ortc.Conv(x, W, ...) -> ortc.WinogradConv(x, W, ...)   W 3x3; stride and dilation 1
#include "providers/cpu/arith/winograd_f32/winograd_f32.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/windows/conv_shape.h"

namespace ortc::cpu {
namespace {

// With fewer channels turning pixels takes longer than is saved; with fewer pixels reading the
// weights, which are larger, does.
constexpr int64_t kInputChannels = 16, kOutputChannels = 24;
constexpr int64_t kPixels = 36;

bool has_pixels(const Graph& graph, ValueId id) {
  const Shape* shape = known_shape(graph, id);
  if (shape == nullptr || shape->size() != 4) return false;
  const Dim &rows = (*shape)[1], &columns = (*shape)[2];
  return !rows.is_known() || !columns.is_known() || columns.value == 0 ||
         rows.value >= (kPixels + columns.value - 1) / columns.value;
}

bool is_faster(const Graph& graph, const Node& node) {
  const Tensor* w = constant_of(graph, node.input(1));
  constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
  if (w == nullptr || (mask_of(w->dtype()) & kTypes) == 0) return false;
  const auto params = conv_weights_params(node, w->dims());
  return params.is_ok() && is_for_winograd(conv_weights_shape(*params)) &&
         params->in_c >= kInputChannels && params->out_c >= kOutputChannels &&
         has_pixels(graph, node.output(0));
}

}  // namespace

Result<int> winograd(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("WinogradConv", kInternalDomain)) return 0;
  int matches = 0;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    Node* node = graph.node(id);
    if (node == nullptr || !node->is_op("Conv", kInternalDomain)) continue;
    if (!is_faster(graph, *node)) continue;
    node->set_op("WinogradConv", std::string(kInternalDomain));
    ++matches;
  }
  return matches;
}

}  // namespace ortc::cpu
