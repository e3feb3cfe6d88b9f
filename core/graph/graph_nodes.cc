// SPDX-License-Identifier: MIT
// The nodes of a graph: adding, removing, changing what they read and write; opsets.
#include <algorithm>
#include <unordered_set>

#include "core/graph/channels_last_domain.h"
#include "core/graph/graph.h"

namespace ortc {
namespace {

// What forbids that a node writes this value; nothing when it may.
std::string_view why_not_writable(const Value& value) {
  if (value.producer != kNoNode) return "another node";
  if (value.is_input) return "the graph's inputs";
  if (value.initializer || value.sparse_initializer) return "an initializer";
  if (value.is_captured()) return "an enclosing graph";
  return {};
}

}  // namespace

Result<Node*> Graph::add_node(std::string op_type, std::string domain, std::string name,
                              std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                              std::vector<Attribute> attributes, std::string overload) {
  auto node = std::make_unique<Node>();
  node->id_ = static_cast<NodeId>(nodes_.size());
  node->graph_ = this;
  node->op_type_ = std::move(op_type);
  node->domain_ = std::move(domain);
  node->name_ = std::move(name);
  node->overload_ = std::move(overload);
  for (ValueId id : inputs) {
    if (id != kNoValue && value(id) == nullptr) {
      return invalid_graph(node->label(), " reads value ", id, ", which the graph does not have");
    }
  }
  node->inputs_ = std::move(inputs);
  node->outputs_ = std::move(outputs);
  node->attributes_ = std::move(attributes);
  for (Graph* graph : node->subgraphs()) {
    if (graph->parent_ != this) {
      return invalid_graph(node->label(), ": its sub-graph '", graph->name,
                           "' was made for another graph");
    }
  }
  RETURN_IF_ERROR(take_outputs(*node));
  for (uint32_t i = 0; i < node->inputs_.size(); ++i) {
    if (node->inputs_[i] != kNoValue) add_use(node->inputs_[i], {node->id_, i, false});
  }
  nodes_.push_back(std::move(node));
  ++node_count_;
  adopt_subgraphs(*nodes_.back());
  return nodes_.back().get();
}

// Makes the node the producer of its outputs, all or none.
Status Graph::take_outputs(const Node& node) {
  Status status;
  uint32_t taken = 0;
  for (; taken < node.outputs_.size() && status.is_ok(); ++taken) {
    if (node.outputs_[taken] == kNoValue) continue;
    Value* output = value(node.outputs_[taken]);
    if (output == nullptr) {
      status = invalid_graph(node.label(), " writes value ", node.outputs_[taken],
                             ", which the graph does not have");
      break;
    }
    if (const std::string_view owner = why_not_writable(*output); !owner.empty()) {
      status =
          invalid_graph(node.label(), " writes '", output->name, "', which ",
                        output->producer == node.id_ ? "the same node" : owner, " already defines");
      break;
    }
    output->producer = node.id_;
    output->producer_output = taken;
  }
  if (status.is_ok()) return status;
  for (uint32_t i = 0; i < taken; ++i) {
    if (node.outputs_[i] != kNoValue) value(node.outputs_[i])->producer = kNoNode;
  }
  return status;
}

void Graph::remove_node(NodeId id) {
  Node* gone = node(id);
  assert(gone != nullptr);
  for (uint32_t i = 0; i < gone->inputs_.size(); ++i) {
    if (gone->inputs_[i] != kNoValue) remove_use(gone->inputs_[i], {id, i, false});
  }
  for (uint32_t i = 0; i < gone->implicit_inputs_.size(); ++i) {
    remove_use(gone->implicit_inputs_[i], {id, i, true});
  }
  for (ValueId output : gone->outputs_) {
    if (output != kNoValue) value(output)->producer = kNoNode;
  }
  // A sub-graph that another node has already taken over stays where it is.
  for (Graph* graph : gone->subgraphs()) {
    if (graph->parent_node_ == gone) graph->set_parent(nullptr, nullptr);
  }
  nodes_[id] = nullptr;
  --node_count_;
}

void Graph::set_input(NodeId id, uint32_t index, ValueId value) {
  Node* target = node(id);
  assert(target != nullptr);
  if (index >= target->inputs_.size()) target->inputs_.resize(size_t{index} + 1, kNoValue);
  ValueId& place = target->inputs_[index];
  if (place != kNoValue) remove_use(place, {id, index, false});
  place = value;
  if (value != kNoValue) add_use(value, {id, index, false});
}

void Graph::set_output(NodeId id, uint32_t index, ValueId output) {
  Node* target = node(id);
  assert(target != nullptr);
  if (index >= target->outputs_.size()) target->outputs_.resize(size_t{index} + 1, kNoValue);
  ValueId& place = target->outputs_[index];
  if (place == output) return;
  if (place != kNoValue) value(place)->producer = kNoNode;
  place = output;
  if (output == kNoValue) return;
  Value* written = value(output);
  assert(written != nullptr && why_not_writable(*written).empty());
  written->producer = id;
  written->producer_output = index;
}

void Graph::adopt_subgraphs(Node& node) {
  for (Graph* graph : node.subgraphs()) graph->set_parent(this, &node);
  refresh_implicit_inputs(node.id_);
}

void Graph::prune_captures() {
  for (auto& value : values_) {
    if (!value || !value->is_captured() || !value->uses.empty() || value->is_output) continue;
    names_.erase(value->name);
    value = nullptr;
  }
}

void Graph::refresh_implicit_inputs(NodeId id) {
  Node* target = node(id);
  assert(target != nullptr);
  for (uint32_t i = 0; i < target->implicit_inputs_.size(); ++i) {
    remove_use(target->implicit_inputs_[i], {id, i, true});
  }
  auto& implicit = target->implicit_inputs_;
  implicit.clear();
  std::unordered_set<ValueId> seen;
  for (Graph* graph : target->subgraphs()) {
    graph->prune_captures();
    for (const auto& captured : graph->values_) {
      if (!captured || !captured->is_captured()) continue;
      const ValueId outer = captured->outer_value;
      if (!seen.insert(outer).second) continue;
      add_use(outer, {id, static_cast<uint32_t>(implicit.size()), true});
      implicit.push_back(outer);
    }
  }
}

Node* Graph::only_consumer(ValueId id) {
  const Value* read = value(id);
  if (read == nullptr || read->is_output || read->uses.size() != 1) return nullptr;
  return read->uses[0].is_implicit ? nullptr : node(read->uses[0].node);
}

int64_t Graph::opset(std::string_view domain) const {
  if (domain == "ai.onnx" || domain == kChannelsLastDomain) domain = "";
  // Its own domains have one version: "ortc", and that of single nodes which have a callee.
  if (domain == kInternalDomain || domain == kClaimedDomain) return 1;
  if (opsets_ == nullptr) return 0;
  for (const auto& [imported, version] : *opsets_) {
    if (imported == domain) return version;
  }
  return 0;
}

void Graph::set_opsets(std::shared_ptr<const OpsetImports> opsets) {
  for (const auto& node : nodes_) {
    if (!node) continue;
    for (Graph* graph : node->subgraphs()) graph->set_opsets(opsets);
  }
  opsets_ = std::move(opsets);
}

}  // namespace ortc
