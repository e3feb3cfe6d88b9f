// SPDX-License-Identifier: MIT
// What is seen of a graph from outside: all of it, or some of its nodes with the inputs and outputs
// that they have together. A view borrows the graph, which must not change while it is looked at.
#pragma once

#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

class GraphView {
 public:
  // INVALID_GRAPH for a cycle.
  static Result<GraphView> whole(const Graph& graph);
  // INVALID_ARGUMENT when no nodes, one twice, or one that is not there is asked for. Inputs and
  // outputs stand in the order in which `nodes` first read and make them; the nodes themselves are
  // sorted.
  static Result<GraphView> part(const Graph& graph, std::span<const NodeId> nodes);

  const Graph& graph() const { return *graph_; }
  bool is_part() const { return is_part_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }  // makers before readers
  // Of a part: what it reads and does not make, constants aside.
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  // The graph's own that nodes of the view read; of a whole graph also those that it takes or
  // gives.
  const std::vector<ValueId>& initializers() const { return initializers_; }
  // Every value that stands in one of the lists or at a node of the view, each once.
  std::vector<ValueId> values() const;

  bool has_node(NodeId id) const { return id < has_node_.size() && has_node_[id]; }
  bool is_input(ValueId id) const { return id < marks_.size() && (marks_[id] & kInput) != 0; }
  bool is_output(ValueId id) const { return id < marks_.size() && (marks_[id] & kOutput) != 0; }
  const Node* producer(ValueId id) const;
  // Reads by nodes of the view: by node, a node's inputs before its sub-graphs.
  std::vector<Use> uses(ValueId id) const;

 private:
  static constexpr uint8_t kInput = 1, kOutput = 2;

  explicit GraphView(const Graph& graph);
  void find_inputs(std::span<const NodeId> nodes);
  void find_outputs(std::span<const NodeId> nodes);
  void find_initializers();
  void mark();

  const Graph* graph_;
  bool is_part_ = false;
  std::vector<NodeId> nodes_;
  std::vector<bool> has_node_;
  std::vector<ValueId> inputs_, outputs_, initializers_;
  std::vector<uint8_t> marks_;
};

// The value that a captured one stands for, in the graph that defines it; another value as it is.
const Value& defining_value(const Graph& graph, const Value& value);

}  // namespace ortc
