// SPDX-License-Identifier: MIT
// Changes of a graph: see the header.
#include "core/rewrite/changes.h"

#include <algorithm>

#include "core/rewrite/facts.h"

namespace ortc {

bool bypass(Graph& graph, NodeId id, ValueId by) {
  Node* node = graph.node(id);
  const ValueId output = node->output(0);
  // Without a reader the producer of `by` would go with the node.
  if (is_unread(graph, output)) return false;
  if (!put_in_place(graph, output, by)) return false;
  remove_unread(graph, id);
  return true;
}

bool put_in_place(Graph& graph, ValueId of, ValueId by) {
  const Type type = graph.value(of)->type;
  if (!graph.replace_uses(of, by)) return false;
  Value* kept = graph.value(by);
  if (kept->producer != kNoNode) {
    // What was known of the other still holds; a contradiction leaves the type as it is.
    Type merged = kept->type;
    if (merge_type(merged, type).is_ok()) kept->type = std::move(merged);
  }
  return true;
}

namespace {

// Nodes of unknown domains may do more.
bool only_gives_outputs(const Node& node) {
  if (node.custom() == nullptr && node.domain() == "ai.onnx.ml") return true;
  return reads_known_domain(node) && node.op_type() != "EPContext";
}

}  // namespace

void remove_unread(Graph& graph, NodeId id) {
  std::vector<NodeId> open = {id};
  while (!open.empty()) {
    const Node* node = graph.node(open.back());
    open.pop_back();
    if (node == nullptr || !only_gives_outputs(*node)) continue;
    const auto outputs = node->outputs();
    const bool is_read = std::any_of(outputs.begin(), outputs.end(), [&graph](ValueId output) {
      return output != kNoValue && !is_unread(graph, output);
    });
    if (is_read) continue;
    std::vector<ValueId> inputs = node->inputs();
    inputs.insert(inputs.end(), node->implicit_inputs().begin(), node->implicit_inputs().end());
    graph.remove_node(node->id());
    for (ValueId output : outputs) {
      if (output != kNoValue) graph.remove_value(output);
    }
    for (ValueId input : inputs) {
      const Value* value = graph.value(input);
      if (value != nullptr && value->producer != kNoNode) open.push_back(value->producer);
    }
  }
}

Result<Node*> replace_producer(Graph& graph, ValueId output, NewNode node,
                               const Evaluator& evaluator) {
  const Value* value = graph.value(output);
  if (value == nullptr || value->producer == kNoNode) return static_cast<Node*>(nullptr);
  const NodeId old = value->producer;
  const std::string name = graph.node(old)->name();
  ASSIGN_OR_RETURN(const ValueId trial, graph.add_value(graph.unique_name("trial"), value->type));
  Graph* root = &graph;
  while (root->parent() != nullptr) root = root->parent();
  const auto opsets = root->opsets();
  if (!node.domain.empty()) import_domain(graph, node.domain, 1);
  ASSIGN_OR_RETURN(Node * made,
                   graph.add_node(std::move(node.op_type), std::move(node.domain), name,
                                  std::move(node.inputs), {trial}, std::move(node.attributes)));
  const NodeId id = made->id();
  if (!evaluator.can_evaluate(*made)) {
    graph.remove_node(id);
    graph.remove_value(trial);
    root->set_opsets(opsets);
    return static_cast<Node*>(nullptr);
  }
  // The old node lets go of its output, which makes it unread.
  graph.set_output(old, graph.value(output)->producer_output, kNoValue);
  graph.set_output(id, 0, output);
  graph.remove_value(trial);
  remove_unread(graph, old);
  return graph.node(id);
}

void import_domain(Graph& graph, std::string_view domain, int64_t version) {
  if (graph.opset(domain) > 0) return;
  Graph* root = &graph;
  while (root->parent() != nullptr) root = root->parent();
  auto opsets = std::make_shared<OpsetImports>(*root->opsets());
  opsets->emplace_back(std::string(domain), version);
  root->set_opsets(std::move(opsets));
}

}  // namespace ortc
