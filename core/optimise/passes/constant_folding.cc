// SPDX-License-Identifier: MIT
//   f(constants)   ->   constant
//
// Computed by the CPU kernels. Not folded: what is random, has sub-graphs or would be larger than
// the limit; what takes more memory or work than a model of this size is worth; dequantised
// weights, which are kept small on purpose; graph outputs; transposed floats that are read as they
// are too (an embedding tied to the output head), which would be stored twice.
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
  // A product packs what is quantised for itself; floats it reads where they lie, turned or not.
  const Tensor& tensor = *constant_of(graph, weights.id);
  if (tensor.byte_size() < kTiedBytes || dtype_bits(tensor.dtype()) <= 8) return false;
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

double elements_of(const Tensor& tensor) { return static_cast<double>(tensor.element_count()); }

// How many elements each element of the result is made of, or a bound of that.
double depth_of(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  const std::string& op = node.op_type();
  const auto has = [&](std::string_view part) { return op.find(part) != std::string::npos; };
  const auto is_of = [&](size_t i) { return i < inputs.size() && inputs[i] != nullptr; };
  if (has("Pool")) {
    double window = 1;
    for (const int64_t size : node.ints_attribute("kernel_shape")) {
      window *= static_cast<double>(std::max<int64_t>(size, 1));
    }
    return window;
  }
  if (has("MatMul") || op == "Gemm") {
    const Dims dims = is_of(0) ? inputs[0]->dims() : Dims{};
    const bool is_turned = op == "Gemm" && node.int_attribute("transA", 0) != 0;
    return dims.empty() ? 1.0 : static_cast<double>(is_turned ? dims.front() : dims.back());
  }
  const size_t weight = op == "QLinearConv" ? 3 : 1;
  if (has("Conv") && is_of(weight)) {
    const Dims& dims = inputs[weight]->dims();
    const int64_t channels = dims.empty() ? 1 : std::max<int64_t>(dims[0], 1);
    return elements_of(*inputs[weight]) / static_cast<double>(channels);
  }
  // All that can meet, for what joins its inputs in other ways.
  static constexpr std::string_view kJoining[] = {
      "Attention", "DFT", "DeformConv",        "Einsum", "GRU", "GridSample",
      "LSTM",      "RNN", "NonMaxSuppression", "STFT"};
  if (!is_one_of(node, kJoining)) return 1;
  double all = 1;
  for (const Tensor* input : inputs) {
    if (input != nullptr) all *= std::max(elements_of(*input), 1.0);
  }
  const auto dims = dims_of(graph, node.output(0));
  const auto count = dims ? checked_element_count(*dims) : std::nullopt;
  return all / std::max(static_cast<double>(count.value_or(1)), 1.0);
}

// Of computing the node, by the size of what goes in and comes out.
uint64_t operations_of(const Graph& graph, const Node& node) {
  std::vector<const Tensor*> inputs;
  double read = 0, made = 0;
  for (const ValueId input : node.inputs()) {
    inputs.push_back(input != kNoValue ? constant_of(graph, input) : nullptr);
    if (inputs.back() != nullptr) read += elements_of(*inputs.back());
  }
  for (const ValueId output : node.outputs()) {
    const auto dims = output != kNoValue ? dims_of(graph, output) : std::nullopt;
    const auto count = dims ? checked_element_count(*dims) : std::nullopt;
    made += static_cast<double>(count.value_or(0));
  }
  const double all = read + std::max(made, 1.0) * depth_of(graph, node, inputs);
  constexpr double kMany = 1e18;
  return static_cast<uint64_t>(std::min(all, kMany));
}

// Takes constants away that nobody reads any more, and says what they took.
uint64_t release_unread(Graph& graph, const std::vector<ValueId>& ids) {
  uint64_t bytes = 0;
  for (const ValueId id : ids) {
    const Value* value = graph.value(id);  // null: twice in the list
    if (value == nullptr || value->constant() == nullptr || value->is_input) continue;
    if (!is_unread(graph, id)) continue;
    bytes += value->constant()->byte_size();
    graph.remove_value(id);
  }
  return bytes;
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
  Budget& budget = context.budget;
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!is_foldable(graph, node) || !context.evaluator.can_evaluate(node) ||
        !is_small_enough(graph, node,
                         std::min(context.options.folded_bytes_max, budget.folded_bytes))) {
      return false;
    }
    const uint64_t operations = operations_of(graph, node);
    if (operations > budget.folding_operations) return false;
    std::vector<Tensor> inputs;
    for (ValueId input : node.inputs()) {
      inputs.push_back(input != kNoValue ? *constant_of(graph, input) : Tensor());
    }
    RETURN_IF_ERROR(context.options.work.go_on());
    budget.folding_operations -= operations;
    auto results = context.evaluator.evaluate(node, inputs);
    if (!results.is_ok()) return false;  // whoever runs the node will say what is wrong with it
    const std::vector<ValueId> outputs = node.outputs();
    if (results->size() != outputs.size()) return false;
    uint64_t made = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNoValue) continue;
      const Tensor& tensor = (*results)[i];
      Type known = graph.value(outputs[i])->type;
      if (!tensor.is_defined() || tensor.byte_size() > context.options.folded_bytes_max ||
          !merge_type(known, Type::tensor_of(tensor)).is_ok()) {
        return false;
      }
      made += tensor.byte_size();
    }
    if (made > budget.folded_bytes) return false;
    const std::vector<ValueId> read = node.inputs();
    graph.remove_node(node.id());
    budget.folded_bytes += release_unread(graph, read);
    budget.folded_bytes -= made;
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
