// SPDX-License-Identifier: MIT
// Nodes that are not compared with ONNX Runtime: see the header.
#include "tests/differential/fuzzer/outside_rules.h"

#include <algorithm>
#include <initializer_list>

#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {
namespace {

const std::string* text_of(const DrawnNode& node, std::string_view name) {
  for (const DrawnAttribute& attribute : node.attributes) {
    if (attribute.name == name) return std::get_if<std::string>(&attribute.value);
  }
  return nullptr;
}

bool has_text(const DrawnNode& node, std::string_view name, std::string_view value) {
  const std::string* text = text_of(node, name);
  return text != nullptr && *text == value;
}

bool is_empty(const DrawnGraph& graph, const std::string& name) {
  const Tensor* tensor = name.empty() ? nullptr : graph.values.at(name).datum.tensor();
  return tensor != nullptr && tensor->element_count() == 0;
}

bool has_type(const DrawnGraph& graph, const std::string& name, DType dtype) {
  const Tensor* tensor = graph.values.at(name).datum.tensor();
  return tensor != nullptr && tensor->dtype() == dtype;
}

bool is_made_by(const DrawnGraph& graph, const std::string& name, std::string_view op) {
  return std::ranges::any_of(
      graph.nodes, [&](const DrawnNode& node) { return node.op == op && node.outputs[0] == name; });
}

int64_t plane_of(const DrawnGraph& graph, const std::string& name) {
  const Dims& dims = graph.values.at(name).datum.tensor()->dims();
  int64_t count = 1;
  for (size_t i = 2; i < dims.size(); ++i) count *= dims[i];
  return count;
}

bool differs(const DrawnGraph& graph, const DrawnNode& node) {
  if ((operator_rows()[node.row].flags & kOwnRules) != 0) return true;
  // Ends the process when it inlines or folds one with an omitted output.
  if (node.op == "Split") return std::ranges::count(node.outputs, "") > 0;
  // Reduces axes without elements that it was not asked to, and keeps those it was.
  if (node.op.starts_with("Reduce")) return is_empty(graph, node.inputs[0]);
  if (node.op.starts_with("Arg")) return is_empty(graph, node.inputs[0]);
  // Leaves beta out where there is nothing to multiply.
  if (node.op == "Gemm") return is_empty(graph, node.inputs[0]) || is_empty(graph, node.inputs[1]);
  // Leaves the memory of the result as it found it where there is nothing to add up.
  if (node.op == "MatMul" || node.op == "FusedMatMul") {
    return is_empty(graph, node.inputs[0]) || is_empty(graph, node.inputs[1]);
  }
  // Takes two pairs of Quantize- and DequantizeLinear for one, and quantises ahead of what moves
  // numbers, whoever else reads those.
  if (node.op == "QuantizeLinear") {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"DequantizeLinear", "Transpose", "Reshape",
                                                "Squeeze", "Unsqueeze", "Flatten"},
        [&](std::string_view op) { return is_made_by(graph, node.inputs[0], op); });
  }
  // Is a thousandth off.
  if (node.op == "DFT") return true;
  // Computes, or has constants, in float32.
  if (node.op == "Shrink" || node.op == "Gelu" || node.op == "Attention" ||
      node.op == "GroupNormalization") {
    return has_type(graph, node.inputs[0], DType::kFloat64);
  }
  // Divides by a deviation that is zero, or multiplies mean and numbers by 1 / epsilon apart.
  if (node.op == "MeanVarianceNormalization") return true;
  if (node.op == "InstanceNormalization") return plane_of(graph, node.inputs[0]) < 3;
  // Rounds a bias to steps of both scales' product.
  if (node.op == "Conv")
    return node.inputs.size() > 2 && is_made_by(graph, node.inputs[0], "DequantizeLinear");
  // The last place of an axis is a fraction there where its scaled size is one (docs/operators.md).
  if (node.op == "Resize" && node.inputs.size() == 3) {
    return has_text(node, "coordinate_transformation_mode", "align_corners");
  }
  // Takes the nearest pixel before it takes the sixteen around it.
  if (node.op == "GridSample") {
    return has_text(node, "mode", "cubic") && has_text(node, "padding_mode", "border");
  }
  return false;
}

}  // namespace

bool differs_outside(const DrawnGraph& graph) {
  return std::ranges::any_of(graph.nodes,
                             [&](const DrawnNode& node) { return differs(graph, node); });
}

}  // namespace ortc::fuzz
