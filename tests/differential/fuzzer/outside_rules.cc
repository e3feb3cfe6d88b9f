// SPDX-License-Identifier: MIT
// Nodes that are not compared with ONNX Runtime: see the header.
#include "tests/differential/fuzzer/outside_rules.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "tests/differential/fuzzer/generator.h"
#include "tests/differential/fuzzer/numbers.h"
#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {
namespace {

constexpr int64_t kNewestOpset = 26;  // what it reads; newer operators have rules of their own

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

size_t element_count(const DrawnGraph& graph, const std::string& name) {
  return graph.values.at(name).datum.tensor()->element_count();
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

bool has_flag(const DrawnNode& node, std::string_view name) {
  return std::ranges::any_of(node.attributes, [&](const DrawnAttribute& attribute) {
    const auto* number = std::get_if<int64_t>(&attribute.value);
    return attribute.name == name && number != nullptr && *number != 0;
  });
}

bool has_attribute(const DrawnNode& node, std::string_view name) {
  return std::ranges::any_of(
      node.attributes, [&](const DrawnAttribute& attribute) { return attribute.name == name; });
}

bool may_wrap(const DrawnGraph& graph, const std::string& name) {
  const Tensor& tensor = *graph.values.at(name).datum.tensor();
  if (!is_integer(tensor.dtype())) return false;
  double sum = 0;
  for (const double number : numbers_of(tensor)) sum += std::abs(number);
  return sum > 0x7fffffff;
}

bool has_below(const DrawnGraph& graph, const std::string& name, double bound) {
  return std::ranges::any_of(numbers_of(*graph.values.at(name).datum.tensor()),
                             [&](double x) { return x < bound; });
}

bool has_near_rows(const DrawnGraph& graph, const DrawnNode& node) {
  const double size = largest(numbers_of(*graph.values.at(node.inputs[0]).datum.tensor()));
  const bool is_squared = has_text(node, "metric", "sqeuclidean");
  return std::ranges::any_of(
      numbers_of(*graph.values.at(node.outputs[0]).datum.tensor()),
      [&](double y) { return (is_squared ? std::sqrt(y) : y) < 0.5 * size; });
}

// A word is its letters up to the first 0.
bool has_empty_word(const DrawnGraph& graph, const std::string& name) {
  const Tensor& words = *graph.values.at(name).datum.tensor();
  const std::vector<double> letters = numbers_of(words);
  const auto step = static_cast<size_t>(words.dims().back());
  for (size_t i = 0; i < letters.size(); i += step) {
    if (letters[i] == 0) return true;
  }
  return false;
}

bool is_of_numbers(const DrawnGraph& graph, const std::string& name) {
  const Tensor* tensor = graph.values.at(name).datum.tensor();
  return tensor != nullptr && tensor->dtype() != DType::kString;
}

// A transposed matrix by a vector: it fuses the two, and takes the matrix as it was.
bool is_turned_by_vector(const DrawnGraph& graph, const DrawnNode& node) {
  const Tensor* right = graph.values.at(node.inputs[1]).datum.tensor();
  return right->dims().size() == 1 && is_made_by(graph, node.inputs[0], "Transpose");
}

// Whether such a node stands anywhere before the value.
bool comes_from(const DrawnGraph& graph, const std::string& name, std::string_view op) {
  std::set<std::string> behind;
  for (const DrawnNode& node : graph.nodes) {  // in the order of a run
    const auto is_behind = [&](const std::string& input) { return behind.count(input) != 0; };
    if (node.op == op || std::ranges::any_of(node.inputs, is_behind)) {
      behind.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  return behind.count(name) != 0;
}

bool differs(const DrawnGraph& graph, const DrawnNode& node) {
  if ((operator_rows()[node.row].flags & kOwnRules) != 0) return true;
  // Ends the process when it inlines or folds one with an omitted output.
  if (node.op == "Split") return std::ranges::count(node.outputs, "") > 0;
  // Ends the process where there are no elements: by std::terminate, by a division by zero.
  if (node.op == "Unique" || node.op == "TopK") return is_empty(graph, node.inputs[0]);
  // Adds up and ends at the largest number, where sums elsewhere wrap around.
  if (node.op == "ReduceSum" || node.op == "ReduceL1") {
    if (may_wrap(graph, node.inputs[0])) return true;
  }
  // Reduces axes without elements that it was not asked to, and keeps those it was.
  if (node.op.starts_with("Reduce")) return is_empty(graph, node.inputs[0]);
  if (node.op.starts_with("Arg")) return is_empty(graph, node.inputs[0]);
  // Leaves beta out where there is nothing to multiply.
  if (node.op == "Gemm") return is_empty(graph, node.inputs[0]) || is_empty(graph, node.inputs[1]);
  // Leaves the memory of the result as it found it where there is nothing to add up.
  if (node.op == "MatMul" || node.op == "FusedMatMul") {
    if (is_turned_by_vector(graph, node)) return true;
    return is_empty(graph, node.inputs[0]) || is_empty(graph, node.inputs[1]);
  }
  // Takes two pairs of Quantize- and DequantizeLinear for one, and quantises ahead of what moves
  // numbers, whoever else reads those; a Transpose it has moved there itself, from further up.
  if (node.op == "QuantizeLinear") {
    return comes_from(graph, node.inputs[0], "Transpose") ||
           std::ranges::any_of(
               std::initializer_list<std::string_view>{"DequantizeLinear", "Reshape", "Squeeze",
                                                       "Unsqueeze", "Flatten", "MaxPool"},
               [&](std::string_view op) { return is_made_by(graph, node.inputs[0], op); });
  }
  // Is a thousandth off.
  if (node.op == "DFT") return true;
  // Has an error of 1e-7 far below zero, much of what is left there.
  if (node.op == "Gelu" && has_below(graph, node.inputs[0], -4)) return true;
  // Takes the width of the result from the bias when the graph is read, and for 0 when that has no
  // length yet: a Shape behind it is folded so.
  if (node.op == "Attention" && node.domain == kMicrosoftDomain &&
      std::ranges::find(graph.inputs, node.inputs[2]) != graph.inputs.end()) {
    return true;
  }
  // Computes, or has constants, in float32.
  if (node.op == "Shrink" || node.op == "Gelu" || node.op == "Attention") {
    return has_type(graph, node.inputs[0], DType::kFloat64);
  }
  // The same, and takes the variance from the mean of squares, which leaves little of that of two
  // numbers near each other.
  if (node.op == "GroupNormalization") {
    return has_type(graph, node.inputs[0], DType::kFloat64) || plane_of(graph, node.inputs[0]) < 3;
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
    return has_text(node, "padding_mode", "border") &&
           (has_text(node, "mode", "cubic") || has_text(node, "mode", "bicubic"));
  }
  // Takes the product of two rows from their squares, which leaves little of a small distance.
  if (node.op == "CDist") return has_near_rows(graph, node);
  // Leaves the base value out where no leaf adds to a target.
  if (node.op == "TreeEnsembleRegressor") return has_attribute(node, "base_values");
  // Divides the weights of the chosen experts by their sum, asked or not.
  if (node.op == "QMoE") return !has_flag(node, "normalize_routing_weights");
  // Its logistic function is coarse far below 0.
  if (node.op == "QuickGelu" || node.op == "Swish") return has_below(graph, node.inputs[0], -5);
  // Its logistic function ends at 0, which NonZero sees.
  if (node.op == "FusedGemm" && has_text(node, "activation", "Sigmoid")) {
    return has_below(graph, node.outputs[0], 1e-6);
  }
  // Leaves zeros behind MoE unless that is a result of the graph.
  if (node.op == "Celu") return is_made_by(graph, node.inputs[0], "MoE");
  // Copies the first text of a slice, and leaves the others empty.
  if (node.op == "Gather") return !is_of_numbers(graph, node.inputs[0]);
  // Adds number to number in float32, whose error grows with the length.
  if (node.op == "CumSum") return element_count(graph, node.inputs[0]) > 300;
  // Leaves the memory of a word without letters as it found it.
  if (node.op == "WordConvEmbedding") return has_empty_word(graph, node.inputs[0]);
  return false;
}

}  // namespace

DrawnGraph part_for_outside(const DrawnGraph& graph) {
  std::set<std::string> lost;
  for (const std::string& name : graph.inputs) {
    if (!is_of_numbers(graph, name)) lost.insert(name);
  }
  for (const DrawnNode& node : graph.nodes) {
    const auto is_lost = [&](const std::string& name) { return lost.count(name) != 0; };
    if (differs(graph, node) || std::ranges::any_of(node.inputs, is_lost) ||
        std::ranges::any_of(node.captured, is_lost)) {
      lost.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  DrawnGraph part = graph;
  part.opset = std::min(graph.opset, kNewestOpset);
  std::erase_if(part.outputs, [&](const std::string& name) {
    return lost.count(name) != 0 || !is_of_numbers(graph, name);
  });
  drop_unread(part);
  return part;
}

}  // namespace ortc::fuzz
