// SPDX-License-Identifier: MIT
// Graphs as text, for people and tests: the order of lines is the topological order, so equal
// graphs give equal text.
#include "core/graph/text/print.h"

#include <algorithm>

#include "core/graph/walk.h"

namespace ortc {
namespace {

constexpr size_t kListMax = 16;  // longer lists and texts are cut
constexpr size_t kTextMax = 48;

template <typename T>
std::string list_to_string(const std::vector<T>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size() && i < kListMax; ++i) {
    if (i != 0) text += ',';
    text += str_cat(items[i]);
  }
  if (items.size() > kListMax) text += str_cat(",... ", items.size(), " in all");
  return text + "]";
}

std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (char c : bytes.substr(0, kTextMax)) {
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
    text += is_plain ? c : '.';
  }
  if (bytes.size() > kTextMax) text += str_cat("... ", bytes.size(), " bytes");
  return text + "\"";
}

std::string constant_to_string(const Constant* constant) {
  if (constant == nullptr) return "?";
  return str_cat(dtype_name(constant->tensor.dtype()), dims_to_string(constant->tensor.dims()));
}

std::string sparse_to_string(const SparseConstant* sparse) {
  if (sparse == nullptr) return "?";
  return str_cat("sparse(", dtype_name(sparse->values.tensor.dtype()), dims_to_string(sparse->dims),
                 ")");
}

template <typename T, typename F>
std::string joined(const std::vector<T>& items, F&& to_text) {
  std::string text = "[";
  for (size_t i = 0; i < items.size() && i < kListMax; ++i) {
    if (i != 0) text += ',';
    text += to_text(items[i]);
  }
  if (items.size() > kListMax) text += str_cat(",... ", items.size(), " in all");
  return text + "]";
}

std::string attribute_to_string(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUndefined:
      return "?";
    case AttributeKind::kFloat:
      return str_cat(attribute.f);
    case AttributeKind::kInt:
      return str_cat(attribute.i);
    case AttributeKind::kString:
      return quoted(attribute.s.text());
    case AttributeKind::kTensor:
      return constant_to_string(attribute.tensor.get());
    case AttributeKind::kGraph:
      return "graph";
    case AttributeKind::kFloats:
      return list_to_string(attribute.floats);
    case AttributeKind::kInts:
      return list_to_string(attribute.ints);
    case AttributeKind::kStrings:
      return joined(attribute.strings, [](const Blob& s) { return quoted(s.text()); });
    case AttributeKind::kTensors:
      return joined(attribute.tensors, [](const auto& t) { return constant_to_string(t.get()); });
    case AttributeKind::kGraphs:
      return "graphs";
    case AttributeKind::kSparseTensor:
      return sparse_to_string(attribute.sparse.get());
    case AttributeKind::kSparseTensors:
      return joined(attribute.sparses, [](const auto& s) { return sparse_to_string(s.get()); });
    case AttributeKind::kTypeProto:
      return attribute.type ? type_to_string(*attribute.type) : "?";
    case AttributeKind::kTypeProtos:
      return joined(attribute.types, [](const auto& t) { return type_to_string(*t); });
  }
  return "?";
}

class Printer {
 public:
  std::string text;

  void print(const Graph& graph, const std::string& indent) {
    text += str_cat(indent, "graph ", graph.name, "(", typed(graph, graph.inputs()), ") -> (",
                    names(graph, graph.outputs()), ")\n");
    for (ValueId id : graph.initializers()) print_initializer(*graph.value(id), indent);
    for (NodeId id : order_of(graph)) print_node(graph, *graph.node(id), indent);
  }

 private:
  // A graph with a cycle is printed too, in the order of ids.
  static std::vector<NodeId> order_of(const Graph& graph) {
    auto order = graph.topological_order();
    if (order.is_ok()) return std::move(*order);
    std::vector<NodeId> ids;
    for (const Node& node : nodes_of(graph)) ids.push_back(node.id());
    return ids;
  }

  static std::string names(const Graph& graph, const std::vector<ValueId>& ids) {
    std::string line;
    for (ValueId id : ids) {
      if (!line.empty()) line += ", ";
      line += id == kNoValue ? std::string("_") : str_cat("%", graph.value(id)->name);
    }
    return line;
  }

  static std::string typed(const Graph& graph, const std::vector<ValueId>& ids) {
    std::string line;
    for (ValueId id : ids) {
      if (!line.empty()) line += ", ";
      line += str_cat("%", graph.value(id)->name, " : ", type_to_string(graph.value(id)->type));
    }
    return line;
  }

  void print_initializer(const Value& value, const std::string& indent) {
    text += str_cat(indent, "  %", value.name, " = ");
    if (value.sparse_initializer) {
      text += sparse_to_string(value.sparse_initializer.get());
    } else {
      text += constant_to_string(value.initializer.get());
    }
    if (value.initializer && value.initializer->external) {
      const ExternalLocation& where = *value.initializer->external;
      text += str_cat(" in ", quoted(where.location), " at ", where.offset);
    }
    text += '\n';
  }

  void print_node(const Graph& graph, const Node& node, const std::string& indent) {
    text += str_cat(indent, "  ", names(graph, node.outputs()), " = ",
                    node.domain().empty() ? "" : str_cat(node.domain(), "::"), node.op_type(), "(",
                    names(graph, node.inputs()), ")");
    std::vector<const Attribute*> attributes;
    for (const Attribute& attribute : node.attributes()) attributes.push_back(&attribute);
    std::sort(attributes.begin(), attributes.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    for (size_t i = 0; i < attributes.size(); ++i) {
      text += str_cat(i == 0 ? " {" : ", ", attributes[i]->name, "=",
                      attribute_to_string(*attributes[i]));
    }
    if (!attributes.empty()) text += '}';
    print_output_types(graph, node);
    if (!node.name().empty()) text += str_cat("  # ", node.name());
    text += '\n';
    for (const Graph* inner : node.subgraphs()) print(*inner, indent + "    ");
  }

  void print_output_types(const Graph& graph, const Node& node) {
    const char* before = " : ";
    for (ValueId id : node.outputs()) {
      if (id == kNoValue) continue;
      text += str_cat(before, type_to_string(graph.value(id)->type));
      before = ", ";
    }
  }
};

}  // namespace

std::string print_graph(const Graph& graph) {
  Printer printer;
  printer.print(graph, "");
  return std::move(printer.text);
}

}  // namespace ortc
