// SPDX-License-Identifier: MIT
// Deep copies of graphs. Ids stay, so captures of a cloned sub-graph fit a clone of its parent.
#include "core/graph/graph.h"

namespace ortc {

std::shared_ptr<Graph> Graph::clone(Graph* parent) const {
  auto copy = std::make_shared<Graph>(opsets_, parent);
  copy->name = name;
  copy->doc = doc;
  copy->unknown_fields = unknown_fields;
  copy->quantization_annotations = quantization_annotations;
  copy->metadata = metadata;
  copy->values_.reserve(values_.size());
  for (const auto& value : values_) {
    copy->values_.push_back(value ? std::make_unique<Value>(*value) : nullptr);
  }
  copy->names_ = names_;
  copy->nodes_.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    if (!node) {
      copy->nodes_.push_back(nullptr);
      continue;
    }
    auto twin = std::make_unique<Node>(*node);
    twin->graph_ = copy.get();
    for (Attribute& attribute : twin->attributes_) {
      auto adopt = [&](std::shared_ptr<Graph>& graph) {
        graph = graph->clone(copy.get());
        graph->parent_node_ = twin.get();
      };
      if (attribute.graph) adopt(attribute.graph);
      for (auto& graph : attribute.graphs) adopt(graph);
    }
    copy->nodes_.push_back(std::move(twin));
  }
  copy->node_count_ = node_count_;
  copy->inputs_ = inputs_;
  copy->outputs_ = outputs_;
  return copy;
}

}  // namespace ortc
