// SPDX-License-Identifier: MIT
//   y = Constant() {value}   ->   initializer y
//
// An initializer cannot be an output everywhere, so a graph output becomes Identity(initializer).
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

template <typename T>
std::shared_ptr<const Constant> constant_from(Dims dims, std::span<const T> elements) {
  auto constant = std::make_shared<Constant>();
  constant->tensor = Tensor::from<T>(std::move(dims), elements);
  return constant;
}

std::shared_ptr<const Constant> strings_from(Dims dims, std::span<const Blob> texts) {
  std::vector<std::string> strings;
  for (const Blob& text : texts) strings.emplace_back(text.text());
  auto constant = std::make_shared<Constant>();
  constant->tensor = Tensor::strings(std::move(dims), std::move(strings));
  return constant;
}

// Null for what is not a value.
Result<std::shared_ptr<const Constant>> value_of(const Node& node) {
  std::shared_ptr<const Constant> none;
  if (node.attributes().size() != 1) return none;
  const Attribute& value = node.attributes()[0];
  if (value.kind == AttributeKind::kSparseTensor && value.sparse != nullptr) {
    auto constant = std::make_shared<Constant>();
    ASSIGN_OR_RETURN(constant->tensor, densify(*value.sparse));
    return std::shared_ptr<const Constant>(std::move(constant));
  }
  if (!value.name.starts_with("value")) return none;
  switch (value.kind) {
    case AttributeKind::kTensor:
      return value.tensor;
    case AttributeKind::kFloat:
      return constant_from<float>({}, std::span(&value.f, 1));
    case AttributeKind::kFloats:
      return constant_from<float>({static_cast<int64_t>(value.floats.size())}, value.floats);
    case AttributeKind::kInt:
      return constant_from<int64_t>({}, std::span(&value.i, 1));
    case AttributeKind::kInts:
      return constant_from<int64_t>({static_cast<int64_t>(value.ints.size())}, value.ints);
    case AttributeKind::kString:
      return strings_from({}, std::span(&value.s, 1));
    case AttributeKind::kStrings:
      return strings_from({static_cast<int64_t>(value.strings.size())}, value.strings);
    default:
      return none;
  }
}

// False, and the node stays, when there is no kernel that copies a value of this type.
Result<bool> copy_to_output(Graph& graph, ValueId output, Tensor tensor,
                            const PassContext& context) {
  graph.value(output)->type = Type::tensor_of(tensor);
  const ValueId constant = graph.add_constant(graph.value(output)->name, std::move(tensor));
  ASSIGN_OR_RETURN(
      const Node* made,
      replace_producer(graph, output, {"Identity", "", {constant}, {}}, context.evaluator));
  if (made != nullptr) return true;
  graph.set_initializer(constant, nullptr);
  graph.remove_value(constant);
  return false;
}

}  // namespace

Result<int> constant_node_to_initializer(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    const ValueId output = node.output(0);
    if (!node.is_op("Constant") || output == kNoValue) return false;
    if (graph.value(output)->type.kind == TypeKind::kSparseTensor) return false;
    ASSIGN_OR_RETURN(auto constant, value_of(node));
    if (!constant || !constant->tensor.is_defined()) return false;
    if (graph.value(output)->is_output) {
      return copy_to_output(graph, output, constant->tensor, context);
    }
    graph.remove_node(node.id());
    graph.value(output)->type = Type::tensor_of(constant->tensor);
    graph.set_initializer(output, std::move(constant));
    return true;
  });
}

}  // namespace ortc
