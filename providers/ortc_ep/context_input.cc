// SPDX-License-Identifier: MIT
// EPContext nodes of the host's model: see the header.
#include "providers/ortc_ep/context_input.h"

#include <algorithm>

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
    become_aot_source(*made, own_source);
  }
  return Status::ok();
}

struct Outermost {
  const OrtGraph* graph;
  bool is_whole;  // false: the host shows a body without what is around it
};
Result<Outermost> outermost(const Host& host, const OrtGraph& graph) {
  const OrtGraph* place = &graph;
  for (int depth = 0; depth < kGraphDepthMax; ++depth) {
    const OrtNode* owner = nullptr;
    const OrtGraph* outer = nullptr;
    ORTC_ASK(host, Graph_GetParentNode(place, &owner));
    if (owner == nullptr) return Outermost{place, true};
    const Status status = host.take(host.api->Node_GetGraph(owner, &outer));
    if (!status.is_ok() || outer == nullptr) break;
    place = outer;
  }
  return Outermost{place, false};
}

bool has_contents(const Node& node) { return node.int_attribute("main_context", 1) != 0; }

// The contents that nodes of a body use may stand in a graph that is not shown: the file has it.
Status add_from_file(const std::string& path, Graph& to) {
  const auto known = ep_context_nodes(to);
  if (path.empty() || std::all_of(known.begin(), known.end(),
                                  [](const Node* node) { return has_contents(*node); })) {
    return Status::ok();
  }
  ASSIGN_OR_RETURN(const auto model, import_model_file(path, {}));
  for (const Node* node : ep_context_nodes(*model->graph)) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const Node* one) { return one->name() == node->name(); });
    if (is_known || !has_contents(*node)) continue;
    RETURN_IF_ERROR(to.add_node("EPContext", std::string(kMicrosoftDomain), node->name(), {}, {},
                                node->attributes())
                        .status());
  }
  return Status::ok();
}

}  // namespace

Result<ContextNodes> read_context_nodes(const Host& host, const OrtGraph& graph,
                                        std::string_view own_source) {
  auto model = std::make_shared<Model>();
  model->opsets = std::make_shared<const OpsetImports>(OpsetImports{{"com.microsoft", 1}});
  model->graph = std::make_shared<Graph>(model->opsets);
  const char* path = nullptr;
  ORTC_ASK(host, Graph_GetModelPath(&graph, &path));
  model->path = path != nullptr ? path : "";
  ASSIGN_OR_RETURN(const Outermost found, outermost(host, graph));
  RETURN_IF_ERROR(collect(host, *found.graph, own_source, 0, *model->graph));
  if (!found.is_whole) RETURN_IF_ERROR(add_from_file(model->path, *model->graph));
  return ContextNodes{std::move(model), found.is_whole};
}

void become_aot_source(Node& node, std::string_view own_source) {
  if (!equals_ignoring_case(node.string_attribute("source", ""), own_source)) return;
  node.set_attribute(Attribute::of_string("source", std::string(aot::kContextSource)));
}

// Names need not be unique; contents are compared only when they are not.
Result<const Node*> find_context_node(const Host& host, const Model& contexts,
                                      const OrtNode& node) {
  const char* name = nullptr;
  ORTC_ASK(host, Node_GetName(&node, &name));
  std::vector<const Node*> candidates;
  for (const Node* one : ep_context_nodes(*contexts.graph)) {
    if (one->name() == name) candidates.push_back(one);
  }
  if (candidates.size() < 2) return candidates.empty() ? nullptr : candidates.front();
  ASSIGN_OR_RETURN(const auto attributes, attributes_of(host, node));
  const auto says_the_same = [&](const Node* one) {
    return std::all_of(attributes->begin(), attributes->end(), [&](const Attribute& attribute) {
      const Attribute* other = one->attribute(attribute.name);
      return attribute.name == "source" ||
             (other != nullptr && other->i == attribute.i && other->s.text() == attribute.s.text());
    });
  };
  const auto found = attributes ? std::find_if(candidates.begin(), candidates.end(), says_the_same)
                                : candidates.end();
  return found != candidates.end() ? *found : nullptr;
}

}  // namespace ortc::ort_ep
