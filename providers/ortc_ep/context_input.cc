// SPDX-License-Identifier: MIT
// EPContext nodes of the host's model: see the header.
#include "providers/ortc_ep/context_input.h"

#include "core/base/near_name.h"
#include "core/graph/limits.h"
#include "providers/aot/aot_provider.h"
#include "providers/ortc_ep/host_attributes.h"

namespace ortc::ort_ep {
namespace {

// Collects nodes of one graph and of the bodies in it.
Status collect(const Host& host, const OrtGraph& graph, std::string_view own_source, int depth,
               Graph& to) {
  if (depth > kGraphDepthMax) {
    return invalid_graph("graphs are nested deeper than ", kGraphDepthMax);
  }
  ASSIGN_OR_RETURN(const auto nodes, nodes_of(host, graph));
  for (const OrtNode* node : nodes) {
    ASSIGN_OR_RETURN(const auto bodies, bodies_of(host, *node));
    for (const HostBody& body : bodies) {
      RETURN_IF_ERROR(collect(host, *body.graph, own_source, depth + 1, to));
    }
    if (!is_context_node(host, *node)) continue;
    ASSIGN_OR_RETURN(auto attributes, attributes_of(host, *node));
    if (!attributes) continue;  // another provider's
    const char* name = nullptr;
    ORTC_ASK(host, Node_GetName(node, &name));
    ASSIGN_OR_RETURN(Node * made, to.add_node("EPContext", std::string(kMicrosoftDomain), name, {},
                                              {}, std::move(*attributes)));
    if (equals_ignoring_case(made->string_attribute("source", ""), own_source)) {
      made->set_attribute(Attribute::of_string("source", std::string(aot::kContextSource)));
    }
  }
  return Status::ok();
}

// As far out as the host shows.
Result<const OrtGraph*> outermost(const Host& host, const OrtGraph& graph) {
  const OrtGraph* place = &graph;
  for (int depth = 0; depth < kGraphDepthMax; ++depth) {
    const OrtNode* owner = nullptr;
    const OrtGraph* outer = nullptr;
    ORTC_ASK(host, Graph_GetParentNode(place, &owner));
    if (owner == nullptr) return place;
    const Status status = host.take(host.api->Node_GetGraph(owner, &outer));
    if (!status.is_ok() || outer == nullptr) return place;
    place = outer;
  }
  return place;
}

}  // namespace

Result<std::shared_ptr<const Model>> read_context_nodes(const Host& host, const OrtGraph& graph,
                                                        std::string_view own_source) {
  auto model = std::make_shared<Model>();
  model->opsets = std::make_shared<const OpsetImports>(OpsetImports{{"com.microsoft", 1}});
  model->graph = std::make_shared<Graph>(model->opsets);
  const char* path = nullptr;
  ORTC_ASK(host, Graph_GetModelPath(&graph, &path));
  model->path = path != nullptr ? path : "";
  ASSIGN_OR_RETURN(const OrtGraph* whole, outermost(host, graph));
  RETURN_IF_ERROR(collect(host, *whole, own_source, 0, *model->graph));
  return std::shared_ptr<const Model>(std::move(model));
}

const Node* find_context_node(const Model& contexts, std::string_view name) {
  for (const Node* node : ep_context_nodes(*contexts.graph)) {
    if (node->name() == name) return node;
  }
  return nullptr;
}

}  // namespace ortc::ort_ep
