// SPDX-License-Identifier: MIT
// Puts nodes of other operators in the place of one for which there is no kernel.
//
// The first failure is kept and everything after it does nothing: only done() tells.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace ortc::cpu {

class Spelling {
 public:
  // Removes the node; its inputs and outputs stay.
  Spelling(Graph& graph, NodeId id)
      : graph_(graph),
        name_(graph.node(id)->name()),
        inputs_(graph.node(id)->inputs()),
        outputs_(graph.node(id)->outputs()) {
    graph.remove_node(id);
  }
  // Adds to a graph, a new body mostly, in the place of no node.
  Spelling(Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const Graph& graph() const { return graph_; }
  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  size_t input_count() const { return inputs_.size(); }
  // kNoValue for an output that nobody asked for.
  ValueId output(size_t i) const { return i < outputs_.size() ? outputs_[i] : kNoValue; }
  // What the values were inferred to be; nothing is known of an omitted one.
  Type type(ValueId id) const { return id != kNoValue ? graph_.value(id)->type : Type(); }
  Type output_type() const { return type(output(0)); }

  ValueId constant(Tensor tensor) { return graph_.add_constant(name_, std::move(tensor)); }
  ValueId value(Type type) {
    if (!status_.is_ok()) return kNoValue;
    auto added = graph_.add_value(graph_.unique_name(name_), std::move(type));
    if (!added.is_ok()) status_ = std::move(added).status();
    return status_.is_ok() ? *added : kNoValue;
  }
  // A node with one result, which has this type. Omitted inputs at the end are left out.
  ValueId add(std::string op, std::vector<ValueId> inputs, Type type,
              std::vector<Attribute> attributes = {}, std::string domain = "") {
    const ValueId output = value(std::move(type));
    place(std::move(op), std::move(domain), std::move(inputs), {output}, std::move(attributes));
    return output;
  }
  // The same for the result of the node that was replaced.
  void give(std::string op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {},
            std::string domain = "") {
    place(std::move(op), std::move(domain), std::move(inputs), {output(0)}, std::move(attributes));
  }
  void place(std::string op, std::string domain, std::vector<ValueId> inputs,
             std::vector<ValueId> outputs, std::vector<Attribute> attributes = {}) {
    if (!status_.is_ok()) return;
    while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
    status_ = graph_
                  .add_node(std::move(op), std::move(domain), name_, std::move(inputs),
                            std::move(outputs), std::move(attributes))
                  .status();
  }

  Result<bool> done() {
    if (!status_.is_ok()) return std::move(status_);
    return true;
  }

 private:
  Graph& graph_;
  const std::string name_;
  const std::vector<ValueId> inputs_, outputs_;
  Status status_;
};

// Nodes of ONNX from number `first` on are read with this opset, where the model's is older.
inline void read_with(Graph& graph, size_t first, int64_t opset) {
  for (size_t id = first; id < graph.node_bound(); ++id) {
    Node* node = graph.node(static_cast<NodeId>(id));
    if (node != nullptr && node->domain().empty() && node->opset() < opset) node->set_opset(opset);
  }
}

}  // namespace ortc::cpu
