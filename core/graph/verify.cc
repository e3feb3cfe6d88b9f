// SPDX-License-Identifier: MIT
// Checks that a graph keeps everything graph.h promises.
#include "core/graph/verify.h"

#include <algorithm>
#include <set>

#include "core/graph/walk.h"

namespace ortc {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  Status run() {
    RETURN_IF_ERROR(check_values());
    RETURN_IF_ERROR(check_ends());
    RETURN_IF_ERROR(check_nodes());
    RETURN_IF_ERROR(check_uses());
    return graph_.topological_order().status();
  }

 private:
  template <typename... Args>
  Status broken(const Args&... args) const {
    return invalid_graph("graph '", graph_.name, "': ", args...);
  }

  bool has(ValueId id) const { return graph_.value(id) != nullptr; }

  Status check_values() const {
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      const Value* value = graph_.value(id);
      if (value == nullptr) continue;
      if (value->id != id) return broken("value '", value->name, "' has a wrong id");
      if (value->name.empty()) return broken("value ", id, " has no name");
      if (graph_.find_value(value->name) != value) {
        return broken("the name '", value->name, "' leads to another value");
      }
      RETURN_IF_ERROR(check_origin(*value));
    }
    return Status::ok();
  }

  // A value is defined in at most one way.
  Status check_origin(const Value& value) const {
    const bool has_initializer = value.initializer || value.sparse_initializer;
    const int origins =
        (value.producer != kNoNode) + value.is_captured() + (value.is_input || has_initializer);
    if (origins > 1) return broken("'", value.name, "' is defined in more than one way");
    if (origins == 0 && (!value.uses.empty() || value.is_output)) {
      return broken("nothing defines '", value.name, "', which is read");
    }
    if (value.producer != kNoNode) {
      const Node* producer = graph_.node(value.producer);
      if (producer == nullptr || producer->output(value.producer_output) != value.id) {
        return broken("'", value.name, "' names a node that does not produce it");
      }
    }
    if (value.is_captured()) {
      const Graph* parent = graph_.parent();
      const Value* outer = parent != nullptr ? parent->value(value.outer_value) : nullptr;
      if (outer == nullptr || outer->name != value.name) {
        return broken("'", value.name, "' is captured from a value that is not there");
      }
    }
    if (value.initializer && !value.is_input) return check_constant(value);
    return Status::ok();
  }

  Status check_constant(const Value& value) const {
    const Tensor& tensor = value.initializer->tensor;
    if (!tensor.is_defined()) return broken("initializer '", value.name, "' has no tensor");
    if (value.type.is_tensor() && value.type.dtype != tensor.dtype()) {
      return broken("initializer '", value.name, "' is ", dtype_name(tensor.dtype()),
                    ", its type says ", dtype_name(value.type.dtype));
    }
    return Status::ok();
  }

  Status check_ends() const {
    std::set<ValueId> inputs, outputs;
    for (ValueId id : graph_.inputs()) {
      if (!has(id) || !graph_.value(id)->is_input) return broken("input ", id, " is not an input");
      if (!inputs.insert(id).second) {
        return broken("input '", graph_.value(id)->name, "' appears twice");
      }
    }
    for (ValueId id : graph_.outputs()) {
      if (!has(id) || !graph_.value(id)->is_output)
        return broken("output ", id, " is not an output");
      outputs.insert(id);
    }
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      const Value* value = graph_.value(id);
      if (value == nullptr) continue;
      if (value->is_input != inputs.contains(id) || value->is_output != outputs.contains(id)) {
        return broken("'", value->name, "' and the lists of inputs and outputs disagree");
      }
    }
    return Status::ok();
  }

  Status check_nodes() const {
    size_t count = 0;
    for (NodeId id = 0; id < graph_.node_bound(); ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr) continue;
      ++count;
      if (node->id() != id || node->graph() != &graph_) {
        return broken(node->label(), " stands in another graph");
      }
      if (node->opset() <= 0) {
        return broken(node->label(), ": no opset of domain '", node->domain(), "' is imported");
      }
      RETURN_IF_ERROR(check_ports(*node));
      RETURN_IF_ERROR(check_subgraphs(*node));
    }
    if (count != graph_.node_count()) return broken("the count of nodes is wrong");
    return Status::ok();
  }

  Status check_ports(const Node& node) const {
    for (ValueId id : node.inputs()) {
      if (id != kNoValue && !has(id)) return broken(node.label(), " reads a value that is gone");
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      const ValueId id = node.outputs()[i];
      if (id == kNoValue) continue;
      const Value* value = graph_.value(id);
      if (value == nullptr || value->producer != node.id() || value->producer_output != i) {
        return broken(node.label(), " writes a value that does not know it");
      }
    }
    return Status::ok();
  }

  Status check_subgraphs(const Node& node) const {
    std::set<ValueId> captured;
    for (const Graph* inner : node.subgraphs()) {
      if (inner == nullptr) return broken(node.label(), " has an attribute without its graph");
      if (inner->parent() != &graph_ || inner->parent_node() != &node) {
        return broken(node.label(), ": sub-graph '", inner->name, "' has another parent");
      }
      for (ValueId id = 0; id < inner->value_bound(); ++id) {
        const Value* value = inner->value(id);
        if (value != nullptr && value->is_captured()) captured.insert(value->outer_value);
      }
      RETURN_IF_ERROR_WHILE(verify_graph(*inner), node.label());
    }
    const auto& implicit = node.implicit_inputs();
    if (std::set<ValueId>(implicit.begin(), implicit.end()) != captured ||
        implicit.size() != captured.size()) {
      return broken(node.label(), ": its implicit inputs are not what its sub-graphs capture");
    }
    return Status::ok();
  }

  // Every use is a real one, and every reader is among the uses.
  Status check_uses() const {
    size_t uses = 0, reads = 0;
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      const Value* value = graph_.value(id);
      if (value == nullptr) continue;
      uses += value->uses.size();
      for (const Use& use : value->uses) {
        const Node* node = graph_.node(use.node);
        const auto* list = node == nullptr   ? nullptr
                           : use.is_implicit ? &node->implicit_inputs()
                                             : &node->inputs();
        if (list == nullptr || use.input >= list->size() || (*list)[use.input] != id) {
          return broken("'", value->name, "' lists a reader that does not read it");
        }
        if (value->uses.size() < 64 &&
            std::count(value->uses.begin(), value->uses.end(), use) != 1) {
          return broken("'", value->name, "' lists a reader twice");
        }
      }
    }
    for (const Node& node : nodes_of(graph_)) {
      for (ValueId input : node.inputs()) reads += input != kNoValue;
      reads += node.implicit_inputs().size();
    }
    if (uses != reads) return broken("readers and uses are not the same number");
    return Status::ok();
  }

  const Graph& graph_;
};

}  // namespace

Status verify_graph(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace ortc
