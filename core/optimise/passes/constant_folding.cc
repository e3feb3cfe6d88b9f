// SPDX-License-Identifier: MIT
//   f(constants)   ->   constant
//
// Computed by the CPU kernels. Not folded: what is random, has sub-graphs or would be larger than
// the limit; dequantised weights, which are kept small on purpose; graph outputs; transposed
// weights that are read as they are too (an embedding tied to the output head), which would be
// stored twice.
#include <algorithm>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// Where the output's size is not known before, the inputs must be small.
constexpr uint64_t kUnknownSizeInputMax = uint64_t{1} << 20;
// Above this size a result must not be much larger than what it is made of: a repeated value is
// cheaper to make than to keep.
constexpr uint64_t kGrowthFreeBytes = uint64_t{16} << 20;
constexpr uint64_t kGrowthMax = 4;

// From this size on, a tensor is not worth having in two orders.
constexpr size_t kTiedBytes = size_t{1} << 20;

bool turns_tied_weights(const Graph& graph, const Node& node) {
  if (!node.is_op("Transpose")) return false;
  const Value& weights = *graph.value(node.input(0));
  if (constant_of(graph, weights.id)->byte_size() < kTiedBytes) return false;
  return weights.is_read_elsewhere ||
         std::any_of(weights.uses.begin(), weights.uses.end(), [&](const Use& use) {
           return use.is_implicit || !graph.node(use.node)->is_op("Transpose");
         });
}

bool is_foldable(const Graph& graph, const Node& node) {
  if (!node.domain().empty() || !is_deterministic(node) || !node.subgraphs().empty()) return false;
  if (node.op_type() == "Constant" || node.op_type() == "DequantizeLinear") return false;
  if (node.inputs().empty()) return false;
  for (ValueId input : node.inputs()) {
    if (input != kNoValue && constant_of(graph, input) == nullptr) return false;
  }
  for (ValueId output : node.outputs()) {
    if (output == kNoValue) continue;
    const Value& value = *graph.value(output);
    if (value.is_output || !value.type.is_tensor()) return false;
  }
  return !turns_tied_weights(graph, node);
}

bool is_small_enough(const Graph& graph, const Node& node, uint64_t bytes_max) {
  uint64_t input_bytes = 0;
  for (ValueId input : node.inputs()) {
    if (input != kNoValue) input_bytes += constant_of(graph, input)->byte_size();
  }
  for (ValueId output : node.outputs()) {
    if (output == kNoValue) continue;
    const Type& type = graph.value(output)->type;
    const auto dims = type.dims();
    const auto count = dims ? checked_element_count(*dims) : std::nullopt;
    if (!count) {
      if (input_bytes > kUnknownSizeInputMax) return false;
      continue;
    }
    const auto elements = static_cast<uint64_t>(*count);
    const auto bytes = type.dtype == DType::kString
                           ? checked_mul<uint64_t>(elements, sizeof(std::string))
                           : dtype_bytes(type.dtype, elements);
    if (!bytes || *bytes > bytes_max) return false;
    if (*bytes > kGrowthFreeBytes && *bytes / kGrowthMax > input_bytes) return false;
  }
  return true;
}

}  // namespace

Result<int> constant_folding(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!is_foldable(graph, node) || !context.evaluator.can_evaluate(node) ||
        !is_small_enough(graph, node, context.options.folded_bytes_max)) {
      return false;
    }
    std::vector<Tensor> inputs;
    for (ValueId input : node.inputs()) {
      inputs.push_back(input != kNoValue ? *constant_of(graph, input) : Tensor());
    }
    RETURN_IF_ERROR(context.options.work.go_on());
    auto results = context.evaluator.evaluate(node, inputs);
    if (!results.is_ok()) return false;  // whoever runs the node will say what is wrong with it
    const std::vector<ValueId> outputs = node.outputs();
    if (results->size() != outputs.size()) return false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNoValue) continue;
      const Tensor& tensor = (*results)[i];
      Type known = graph.value(outputs[i])->type;
      if (!tensor.is_defined() || tensor.byte_size() > context.options.folded_bytes_max ||
          !merge_type(known, Type::tensor_of(tensor)).is_ok()) {
        return false;
      }
    }
    graph.remove_node(node.id());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNoValue) continue;
      auto constant = std::make_shared<Constant>();
      constant->name = graph.value(outputs[i])->name;
      constant->tensor = std::move((*results)[i]);
      graph.value(outputs[i])->type = Type::tensor_of(constant->tensor);
      graph.set_initializer(outputs[i], std::move(constant));
    }
    return true;
  });
}

}  // namespace ortc
