// SPDX-License-Identifier: MIT
//   y = f(x), z = f(x)   ->   z is y
//
// Equal means: operator, attributes and inputs; small constants count by their contents.
#include <algorithm>
#include <unordered_map>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

constexpr size_t kContentBytesMax = 256;

// Text that is equal exactly for equal things: every field is framed by its size.
class Key {
 public:
  std::string text;

  void field(std::string_view bytes) { text += str_cat(bytes.size(), ":", bytes); }
  void number(uint64_t value) { text += str_cat(value, ";"); }

  template <typename T>
  void list(const std::vector<T>& values) {
    field({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  void tensor(const Tensor& tensor) {
    number(static_cast<uint64_t>(tensor.dtype()));
    list(tensor.dims());
    if (tensor.dtype() == DType::kString) {
      for (const std::string& element : tensor.string_elements()) field(element);
    } else if (tensor.byte_size() <= kContentBytesMax) {
      field(as_text(tensor.bytes()));
    } else {
      number(reinterpret_cast<uintptr_t>(tensor.data()));
    }
  }
};

// False for what is not compared: sub-graphs, sparse tensors, types.
bool add_attribute(Key& key, const Attribute& attribute) {
  key.field(attribute.name);
  key.number(static_cast<uint64_t>(attribute.kind));
  switch (attribute.kind) {
    case AttributeKind::kFloat:
      key.field({reinterpret_cast<const char*>(&attribute.f), sizeof attribute.f});
      return true;
    case AttributeKind::kInt:
      key.number(static_cast<uint64_t>(attribute.i));
      return true;
    case AttributeKind::kString:
      key.field(attribute.s.text());
      return true;
    case AttributeKind::kFloats:
      key.list(attribute.floats);
      return true;
    case AttributeKind::kInts:
      key.list(attribute.ints);
      return true;
    case AttributeKind::kStrings:
      key.number(attribute.strings.size());
      for (const Blob& text : attribute.strings) key.field(text.text());
      return true;
    case AttributeKind::kTensor:
      if (!attribute.tensor) return false;
      key.tensor(attribute.tensor->tensor);
      return true;
    default:
      return false;
  }
}

std::optional<std::string> key_of(const Graph& graph, const Node& node) {
  if (!is_deterministic(node) || !node.overload().empty()) return std::nullopt;
  Key key;
  key.field(node.domain());
  key.field(node.op_type());
  key.number(node.inputs().size());
  for (ValueId input : node.inputs()) {
    const Tensor* constant = input != kNoValue ? constant_of(graph, input) : nullptr;
    if (constant != nullptr && constant->dtype() != DType::kString &&
        constant->byte_size() <= kContentBytesMax) {
      key.text += 'c';
      key.tensor(*constant);
    } else {
      key.text += 'v';
      key.number(input);
    }
  }
  key.number(node.outputs().size());
  for (ValueId output : node.outputs()) key.text += output != kNoValue ? 'y' : 'n';
  // Attributes may stand in any order.
  std::vector<std::string> attributes;
  for (const Attribute& attribute : node.attributes()) {
    Key part;
    if (!add_attribute(part, attribute)) return std::nullopt;
    attributes.push_back(std::move(part.text));
  }
  std::sort(attributes.begin(), attributes.end());
  for (const std::string& attribute : attributes) key.field(attribute);
  return std::move(key.text);
}

// Both are graph outputs: each name must stay.
bool can_replace(const Graph& graph, const Node& node, const Node& by) {
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    if (node.output(i) == kNoValue) continue;
    if (graph.value(node.output(i))->is_output && graph.value(by.output(i))->is_output) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<int> common_subexpression(Graph& graph, const PassContext&) {
  std::unordered_map<std::string, NodeId> seen;
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (node.outputs().empty()) return false;
    auto key = key_of(graph, node);
    if (!key) return false;
    auto [place, is_new] = seen.emplace(std::move(*key), node.id());
    if (is_new) return false;
    const Node& first = *graph.node(place->second);
    if (!can_replace(graph, node, first)) return false;
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      if (node.output(i) != kNoValue) graph.replace_uses(node.output(i), first.output(i));
    }
    remove_unread(graph, node.id());
    return true;
  });
}

}  // namespace ortc
