// SPDX-License-Identifier: MIT
// Graphs for Graphviz: a box per node, an edge per value read; sub-graphs and groups as clusters.
#include "core/graph/text/dot.h"

#include <map>

#include "core/graph/walk.h"

namespace ortc {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

class DotWriter {
 public:
  explicit DotWriter(const std::function<std::string(const Node&)>& group_of)
      : group_of_(group_of) {}
  std::string text = "digraph model {\n  node [shape=box];\n";

  // `prefix` makes the ids of nodes unique over all graphs.
  void write(const Graph& graph, const std::string& prefix) {
    std::map<std::string, std::string> groups;
    for (ValueId id : graph.inputs()) {
      text += str_cat("  \"", source_of(graph, id, prefix), "\" [label=\"",
                      escaped(graph.value(id)->name), "\", shape=ellipse];\n");
    }
    for (const Node& node : nodes_of(graph)) {
      const std::string line =
          str_cat("  \"", node_id(prefix, node.id()), "\" [label=\"", escaped(node.op_type()),
                  "\\n", escaped(node.name()), "\"];\n");
      const std::string group = group_of_ ? group_of_(node) : "";
      group.empty() ? text += line : groups[group] += line;
    }
    for (const auto& [group, lines] : groups) {
      text += str_cat("  subgraph \"cluster_", prefix, escaped(group), "\" {\n  label=\"",
                      escaped(group), "\";\n", lines, "  }\n");
    }
    write_edges(graph, prefix);
    write_subgraphs(graph, prefix);
  }

 private:
  static std::string node_id(const std::string& prefix, NodeId id) {
    return str_cat(prefix, "n", id);
  }

  // The box that a value comes from; a captured one comes from the box of an enclosing graph.
  std::string source_of(const Graph& graph, ValueId id, const std::string& prefix) const {
    const Value* value = graph.value(id);
    if (value->producer != kNoNode) return node_id(prefix, value->producer);
    if (value->is_captured() && graph.parent() != nullptr) {
      auto outer = prefixes_.find(graph.parent());
      if (outer != prefixes_.end()) {
        return source_of(*graph.parent(), value->outer_value, outer->second);
      }
    }
    return str_cat(prefix, "v", id);
  }

  void write_edges(const Graph& graph, const std::string& prefix) {
    prefixes_[&graph] = prefix;
    for (const Node& node : nodes_of(graph)) {
      for (ValueId input : node.inputs()) {
        if (input == kNoValue || graph.value(input)->constant() != nullptr) continue;
        const Value& value = *graph.value(input);
        text += str_cat("  \"", source_of(graph, input, prefix), "\" -> \"",
                        node_id(prefix, node.id()), "\" [label=\"", escaped(value.name), "\\n",
                        escaped(type_to_string(value.type)), "\"];\n");
      }
    }
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      const ValueId id = graph.outputs()[i];
      const std::string end = str_cat(prefix, "out", i);
      text += str_cat("  \"", end, "\" [label=\"", escaped(graph.value(id)->name),
                      "\", shape=ellipse];\n  \"", source_of(graph, id, prefix), "\" -> \"", end,
                      "\";\n");
    }
  }

  void write_subgraphs(const Graph& graph, const std::string& prefix) {
    for (const Node& node : nodes_of(graph)) {
      const auto inner = node.subgraphs();
      for (size_t i = 0; i < inner.size(); ++i) {
        const std::string inner_prefix = str_cat(node_id(prefix, node.id()), "g", i, "_");
        text += str_cat("  subgraph \"cluster_", inner_prefix, "\" {\n  label=\"",
                        escaped(node.label()), " ", escaped(inner[i]->name), "\";\n");
        write(*inner[i], inner_prefix);
        text += "  }\n";
      }
    }
  }

  const std::function<std::string(const Node&)>& group_of_;
  std::map<const Graph*, std::string> prefixes_;
};

}  // namespace

std::string graph_to_dot(const Graph& graph,
                         const std::function<std::string(const Node&)>& group_of) {
  DotWriter writer(group_of);
  writer.write(graph, "");
  return std::move(writer.text) + "}\n";
}

}  // namespace ortc
