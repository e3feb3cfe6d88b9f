// SPDX-License-Identifier: MIT
// Making views of graphs: see the header.
#include "core/api/graph/graph_handles.h"

#include "core/api/value/element_type.h"

OrtNode::OrtNode(ortc::NodeDraft made) : draft(std::move(made)) {
  for (const ortc::Attribute& attribute : draft.attributes) attributes.emplace_back(attribute);
}

// Here, where OrtGraph is complete.
OrtNode::~OrtNode() = default;

OrtValueInfo::OrtValueInfo(std::string name, ortc::Type core_type, const OrtTypeInfo& shown)
    : draft{std::move(name), std::move(core_type)}, type(std::make_unique<OrtTypeInfo>(shown)) {}

namespace ortc::api {
namespace {

void fill_list(const OrtGraph& graph, const std::vector<ValueId>& ids,
               std::vector<const OrtValueInfo*>& list) {
  list.reserve(ids.size());
  for (ValueId id : ids) list.push_back(graph.value_of(id));
}

std::unique_ptr<OrtNode> make_node(const OrtGraph& graph, const Node& seen) {
  auto node = std::make_unique<OrtNode>(graph, seen);
  fill_list(graph, seen.inputs(), node->inputs);
  fill_list(graph, seen.outputs(), node->outputs);
  fill_list(graph, seen.implicit_inputs(), node->implicit_inputs);
  node->attributes.reserve(seen.attributes().size());
  for (const Attribute& attribute : seen.attributes()) node->attributes.emplace_back(attribute);
  return node;
}

Result<std::unique_ptr<OrtGraph>> make_subgraph(const OrtNode& node, const Graph& graph) {
  ASSIGN_OR_RETURN(GraphView view, GraphView::whole(graph));
  return OrtGraph::create(node.graph->root, std::move(view), &node);
}

}  // namespace

void LentGraph::add(OrtGraph& view) {
  const std::lock_guard lock(mutex_);
  views_.insert(&view);
}

void LentGraph::remove(OrtGraph& view) {
  const std::lock_guard lock(mutex_);
  views_.erase(&view);
}

void LentGraph::end() {
  const std::lock_guard lock(mutex_);
  for (OrtGraph* view : views_) view->end();
  views_.clear();
}

Result<std::unique_ptr<OrtGraph>> make_graph(std::shared_ptr<const Model> model) {
  ASSIGN_OR_RETURN(GraphView view, GraphView::whole(*model->graph));
  auto root = std::make_shared<ViewRoot>();
  root->model = std::move(model);
  return OrtGraph::create(std::move(root), std::move(view), nullptr);
}

Result<const std::vector<OrtNode::Subgraph>*> subgraphs_of(const OrtNode& node) {
  // Nothing to make: others may read the empty list at this moment, without the lock.
  if (node.is_draft() || node.node->subgraphs().empty()) return &node.subgraphs;
  const std::lock_guard lock(node.graph->root->mutex);
  if (!node.subgraphs.empty()) return &node.subgraphs;
  std::vector<OrtNode::Subgraph> made;
  for (const Attribute& attribute : node.node->attributes()) {
    auto add = [&](const Graph& graph) -> Status {
      ASSIGN_OR_RETURN(auto inner, make_subgraph(node, graph));
      made.push_back({&attribute.name, std::move(inner)});
      return {};
    };
    if (attribute.graph != nullptr) RETURN_IF_ERROR(add(*attribute.graph));
    for (const auto& graph : attribute.graphs) RETURN_IF_ERROR(add(*graph));
  }
  node.subgraphs = std::move(made);
  return &node.subgraphs;
}

}  // namespace ortc::api

ortc::Result<std::unique_ptr<OrtGraph>> OrtGraph::create(std::shared_ptr<ortc::api::ViewRoot> root,
                                                         ortc::GraphView of,
                                                         const OrtNode* parent) {
  auto graph = std::make_unique<OrtGraph>();
  graph->root = std::move(root);
  graph->view = std::make_unique<const ortc::GraphView>(std::move(of));
  graph->parent_node = parent;
  const ortc::GraphView& view = *graph->view;
  graph->by_value.resize(view.graph().value_bound());
  for (ortc::ValueId id : view.values()) {
    graph->own_values.push_back(std::make_unique<OrtValueInfo>(*graph, *view.graph().value(id)));
    graph->by_value[id] = graph->own_values.back().get();
  }
  ortc::api::fill_list(*graph, view.inputs(), graph->inputs);
  ortc::api::fill_list(*graph, view.outputs(), graph->outputs);
  ortc::api::fill_list(*graph, view.initializers(), graph->initializers);
  graph->by_node.resize(view.graph().node_bound());
  for (ortc::NodeId id : view.nodes()) {
    graph->own_nodes.push_back(ortc::api::make_node(*graph, *view.graph().node(id)));
    graph->by_node[id] = graph->own_nodes.back().get();
    graph->nodes.push_back(graph->own_nodes.back().get());
  }
  return graph;
}

OrtGraph::~OrtGraph() {
  if (made_of != nullptr) made_of->remove(*this);
}

void OrtGraph::end() {
  has_ended = true;
  own_nodes.clear();
  own_values.clear();
}
