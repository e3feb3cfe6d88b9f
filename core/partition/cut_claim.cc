// SPDX-License-Identifier: MIT
// Cutting claims: see the header.
#include "core/partition/cut_claim.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ortc {
namespace {

// A value that is the same at every run: an initializer here, or one of an enclosing graph.
std::shared_ptr<const Constant> shared_constant(const Graph& graph, ValueId id) {
  const Graph* scope = &graph;
  const Value* value = scope->value(id);
  while (value->is_captured() && scope->parent() != nullptr) {
    scope = scope->parent();
    id = value->outer_value;
    value = scope->value(id);
  }
  return value->constant() != nullptr ? value->initializer : nullptr;
}

class Cutter {
 public:
  Cutter(const Graph& graph, const NodeGroup& group, OwnNodes& own_nodes)
      : graph_(graph),
        group_(group),
        own_nodes_(own_nodes),
        inside_(group.nodes.begin(), group.nodes.end()) {
    ids_.reserve(2 * group.nodes.size());
    cut_.graph = std::make_shared<Graph>(graph.opsets());
  }

  Result<CutClaim> cut() {
    for (NodeId id : group_.nodes) RETURN_IF_ERROR(copy_node(*graph_.node(id)));
    for (NodeId id : group_.nodes) {
      for (ValueId output : graph_.node(id)->outputs()) {
        if (output == kNoValue || !is_read_outside(output)) continue;
        cut_.outputs.push_back(output);
        cut_.graph->add_output(ids_.at(output));
      }
    }
    return std::move(cut_);
  }

 private:
  bool is_read_outside(ValueId id) const {
    const Value& value = *graph_.value(id);
    if (value.is_output) return true;
    return std::any_of(value.uses.begin(), value.uses.end(),
                       [&](const Use& use) { return inside_.count(use.node) == 0; });
  }

  Result<ValueId> inner_value(ValueId id) {
    if (id == kNoValue) return kNoValue;
    if (const auto known = ids_.find(id); known != ids_.end()) return known->second;
    const Value& value = *graph_.value(id);
    ASSIGN_OR_RETURN(const ValueId inner, cut_.graph->add_value(value.name, value.type));
    ids_.emplace(id, inner);
    const bool is_inside = value.producer != kNoNode && inside_.count(value.producer) != 0;
    if (is_inside) return inner;
    auto constant = shared_constant(graph_, id);
    if (constant != nullptr && group_.takes_constants) {
      cut_.graph->set_initializer(inner, std::move(constant));
      cut_.graph->value(inner)->is_read_elsewhere = own_nodes_.has_other_readers(value);
    } else {
      cut_.graph->add_input(inner);
      cut_.inputs.push_back(id);
      cut_.input_constants.push_back(std::move(constant));
    }
    return inner;
  }

  Result<std::shared_ptr<Graph>> copy_subgraph(const Graph& graph) {
    auto copy = graph.clone(cut_.graph.get());
    for (ValueId id = 0; id < copy->value_bound(); ++id) {
      Value* value = copy->value(id);
      if (value == nullptr || !value->is_captured()) continue;
      ASSIGN_OR_RETURN(value->outer_value, inner_value(value->outer_value));
    }
    return copy;
  }

  Status copy_node(const Node& node) {
    std::vector<ValueId> inputs, outputs;
    for (ValueId id : node.inputs()) {
      ASSIGN_OR_RETURN(ValueId inner, inner_value(id));
      inputs.push_back(inner);
    }
    for (ValueId id : node.outputs()) {
      ASSIGN_OR_RETURN(ValueId inner, inner_value(id));
      outputs.push_back(inner);
    }
    std::vector<Attribute> attributes = node.attributes();
    for (Attribute& attribute : attributes) {
      if (attribute.graph) {
        ASSIGN_OR_RETURN(attribute.graph, copy_subgraph(*attribute.graph));
      }
      for (auto& graph : attribute.graphs) {
        ASSIGN_OR_RETURN(graph, copy_subgraph(*graph));
      }
    }
    auto added = cut_.graph->add_node(node.op_type(), node.domain(), node.name(), std::move(inputs),
                                      std::move(outputs), std::move(attributes), node.overload());
    if (!added.is_ok()) return added.status();
    (*added)->set_custom(node.custom());
    return Status::ok();
  }

  const Graph& graph_;
  const NodeGroup& group_;
  OwnNodes& own_nodes_;
  std::set<NodeId> inside_;
  std::unordered_map<ValueId, ValueId> ids_;  // by id in graph_: the id inside
  CutClaim cut_;
};

}  // namespace

// A node that was made meanwhile is the last reader.
bool OwnNodes::has_other_readers(const Value& value) {
  const auto [known, is_new] = has_others_.try_emplace(value.id, false);
  if (is_new) {
    known->second = std::any_of(value.uses.begin(), value.uses.end(),
                                [&](const Use& use) { return nodes_.count(use.node) == 0; });
  }
  const size_t count = value.uses.size();
  return known->second || (count != 0 && value.uses[count - 1].node >= node_bound_);
}

Result<CutClaim> cut_claim(const Graph& graph, const NodeGroup& group, OwnNodes& own_nodes) {
  return Cutter(graph, group, own_nodes).cut();
}

Result<Node*> replace_by_fused_node(Graph& graph, const NodeGroup& group, const CutClaim& cut,
                                    std::string_view domain) {
  std::set<ValueId> touched;
  for (NodeId id : group.nodes) {
    const Node& node = *graph.node(id);
    for (const auto* list : {&node.inputs(), &node.outputs(), &node.implicit_inputs()}) {
      touched.insert(list->begin(), list->end());
    }
  }
  for (NodeId id : group.nodes) graph.remove_node(id);
  ASSIGN_OR_RETURN(Node * fused,
                   graph.add_node("", std::string(domain), "", cut.inputs, cut.outputs));
  for (ValueId id : touched) {
    const Value* value = graph.value(id);
    if (value == nullptr || value->is_input || value->is_output || !value->uses.empty() ||
        value->producer != kNoNode) {
      continue;
    }
    graph.remove_value(id);
  }
  return fused;
}

}  // namespace ortc
