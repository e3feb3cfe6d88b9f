// SPDX-License-Identifier: MIT
// Views for libraries: see the header.
#include "core/api/plugin/plugin_views.h"

#include <algorithm>
#include <utility>

namespace ortc::api {
namespace {

// `lent`: what is shown ends before the model; null: it is the model's.
Result<LentView> view_of(std::shared_ptr<const Model> model, const Graph& graph,
                         std::shared_ptr<LentGraph> lent) {
  ASSIGN_OR_RETURN(GraphView view, GraphView::whole(graph));
  auto root = std::make_shared<ViewRoot>();
  root->model = std::move(model);
  root->lent = std::move(lent);
  ASSIGN_OR_RETURN(auto made, OrtGraph::create(std::move(root), std::move(view), nullptr));
  made->is_lent = true;
  return LentView(made.release());
}

// Of a model that is changed, or ends, when the call is over.
Result<LentView> borrowed_view(const Model& model, const Graph& graph) {
  return view_of({std::shared_ptr<void>(), &model}, graph, std::make_shared<LentGraph>());
}

// Whether it has all nodes and values of the graph.
bool is_view_of(const OrtGraph& shown, const Graph& graph) {
  return &shown.view->graph() == &graph && shown.by_node.size() == graph.node_bound() &&
         shown.by_value.size() == graph.value_bound();
}

Result<const OrtNode*> owner_of(const OrtGraph& outer, const Graph& body) {
  const OrtNode* const owner = outer.by_node[body.parent_node()->id()];
  if (owner == nullptr) return fail("a body has no owner");
  return owner;
}

// The view of a body, in the view of the graph that its owner stands in.
Result<const OrtGraph*> find_body(const OrtNode& owner, const Graph& body) {
  ASSIGN_OR_RETURN(const auto* bodies, subgraphs_of(owner));
  for (const OrtNode::Subgraph& one : *bodies) {
    if (&one.graph->view->graph() == &body) return one.graph.get();
  }
  return fail("the owner of a body does not have it");
}

// A copy of a value under its own name.
Result<ValueId> copy_value(const Graph& from, ValueId id, Graph& to) {
  if (id == kNoValue) return kNoValue;
  const Value& value = *from.value(id);
  if (const Value* known = to.find_value(value.name)) return known->id;
  return to.add_value(value.name, value.type);
}

// One node with these values around it, which are the graph's inputs and outputs.
Result<std::shared_ptr<Graph>> graph_around(const Graph& from, const std::vector<ValueId>& inputs,
                                            const std::vector<ValueId>& outputs,
                                            const std::string& name, const std::string& op_type,
                                            const std::string& domain,
                                            std::vector<Attribute> attributes) {
  auto graph = std::make_shared<Graph>(from.opsets());
  graph->name = name;
  std::vector<ValueId> in, out;
  for (ValueId id : inputs) {
    ASSIGN_OR_RETURN(const ValueId copy, copy_value(from, id, *graph));
    in.push_back(copy);
    const auto& known = graph->inputs();
    if (copy != kNoValue && std::ranges::find(known, copy) == known.end()) graph->add_input(copy);
  }
  for (ValueId id : outputs) {
    ASSIGN_OR_RETURN(const ValueId copy, copy_value(from, id, *graph));
    out.push_back(copy);
    if (copy != kNoValue) graph->add_output(copy);
  }
  RETURN_IF_ERROR(
      graph->add_node(op_type, domain, name, std::move(in), std::move(out), std::move(attributes))
          .status());
  return graph;
}

// The claim's graph with its outside constants as initializers in place of inputs.
std::shared_ptr<const Graph> with_constants(const Claim& claim) {
  const auto& constants = claim.input_constants;
  if (std::ranges::all_of(constants, [](const auto& constant) { return constant == nullptr; })) {
    return claim.graph;
  }
  std::shared_ptr<Graph> copy = claim.graph->clone();
  const std::vector<ValueId> before = copy->inputs();
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < before.size(); ++i) {
    if (i >= constants.size() || constants[i] == nullptr) inputs.push_back(before[i]);
  }
  copy->set_inputs(std::move(inputs));
  for (size_t i = 0; i < constants.size() && i < before.size(); ++i) {
    if (constants[i] != nullptr) copy->set_initializer(before[i], constants[i]);
  }
  return copy;
}

}  // namespace

void LentViewEnd::operator()(OrtGraph* view) const {
  if (view->root->lent != nullptr) view->root->lent->end();
  delete view;
}

Result<const OrtGraph*> ShownGraphs::show(const Model& model, const Graph& graph) {
  std::vector<const Graph*> way = {&graph};  // from the graph outwards
  while (way.back()->parent() != nullptr) way.push_back(way.back()->parent());
  if (owner_ != nullptr) hide();
  if (outermost_ == nullptr || way.size() == 1 || !is_view_of(*outermost_, *way.back())) {
    ASSIGN_OR_RETURN(outermost_, borrowed_view(model, *way.back()));
  }
  const OrtGraph* shown = outermost_.get();
  for (size_t i = way.size() - 1; i-- > 0;) {
    ASSIGN_OR_RETURN(owner_, owner_of(*shown, *way[i]));
    if (i == 0) owner_->subgraphs.clear();  // the library may have looked at it before its turn
    ASSIGN_OR_RETURN(shown, find_body(*owner_, *way[i]));
    if (!is_view_of(*shown, *way[i])) {
      owner_->subgraphs.clear();
      ASSIGN_OR_RETURN(shown, find_body(*owner_, *way[i]));
    }
  }
  return shown;
}

void ShownGraphs::hide() {
  if (outermost_ != nullptr) outermost_->root->lent->end();
  if (owner_ != nullptr) {
    std::exchange(owner_, nullptr)->subgraphs.clear();
  } else {
    outermost_.reset();
  }
}

void ShownGraphs::forget() {
  owner_ = nullptr;
  outermost_.reset();
}

Result<std::unique_ptr<ShownClaim>> ShownClaim::create(const Model& model, const Claim& claim,
                                                       std::string_view ep_name) {
  auto shown = std::make_unique<ShownClaim>();
  RETURN_IF_ERROR(shown->show_inside(model, claim));
  RETURN_IF_ERROR(shown->show_outside(model, claim, ep_name));
  return shown;
}

Status ShownClaim::show_inside(const Model& model, const Claim& claim) {
  if (claim.context_node == nullptr) {
    inner_ = with_constants(claim);
  } else {
    const Node& node = *claim.context_node;
    ASSIGN_OR_RETURN(inner_, graph_around(*node.graph(), node.inputs(), node.outputs(), node.name(),
                                          node.op_type(), node.domain(), node.attributes()));
  }
  ASSIGN_OR_RETURN(inside_, borrowed_view(model, *inner_));
  return Status::ok();
}

Status ShownClaim::show_outside(const Model& model, const Claim& claim, std::string_view ep_name) {
  const Node* const node = claim.context_node;
  const Graph& from = node != nullptr ? *node->graph() : *claim.graph;
  auto fused = std::make_shared<Model>(shell_of(model));
  fused->path = model.path;
  ASSIGN_OR_RETURN(fused->graph,
                   graph_around(from, node != nullptr ? node->inputs() : from.inputs(),
                                node != nullptr ? node->outputs() : from.outputs(), claim.name,
                                claim.name, std::string(ep_name), {}));
  const Graph& graph = *fused->graph;
  ASSIGN_OR_RETURN(outside_, view_of(std::move(fused), graph, nullptr));
  outside_->own_nodes.front()->ep_name = ep_name;
  return Status::ok();
}

}  // namespace ortc::api
