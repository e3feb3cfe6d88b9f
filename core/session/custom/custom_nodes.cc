// SPDX-License-Identifier: MIT
// Custom nodes: see the header.
#include "core/session/custom/custom_nodes.h"

#include "core/provider/custom_kernel.h"

namespace ortc {
namespace {

// Calls `visit` for every custom node that is left, those of sub-graphs included.
template <typename G, typename F>
Status visit_custom_nodes(G& graph, F&& visit) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    auto* node = graph.node(id);
    if (node == nullptr || node->callee() != kNoCallee) continue;
    if (node->custom() != nullptr) RETURN_IF_ERROR_WHILE(visit(*node), node->label());
    for (Graph* body : node->subgraphs()) {
      RETURN_IF_ERROR(visit_custom_nodes(static_cast<G&>(*body), visit));
    }
  }
  return Status::ok();
}

const RunnableOperator& operator_of(const Node& node) {
  return static_cast<const RunnableOperator&>(*node.custom());
}

Status check_provider(const Node& node, const ProviderFactory& rest) {
  const std::string_view wanted = operator_of(node).provider();
  if (wanted.empty() || answers_to(rest, wanted)) return Status::ok();
  return not_implemented("the custom operator is for ", wanted,
                         ", which did not take the node; ", rest.name(), " cannot run it");
}

}  // namespace

Status check_custom_nodes(const Graph& graph, const ProviderFactory& rest) {
  return visit_custom_nodes(graph, [&](const Node& node) { return check_provider(node, rest); });
}

Status compile_custom_nodes(Graph& graph, const ProviderFactory& rest, const Making& making,
                            CompiledModel& compiled) {
  KeyValues config;
  CustomKernelPlace place;
  place.logger = making.logger();
  place.kernels = rest.kernels();
  return visit_custom_nodes(graph, [&](Node& node) -> Status {
    if (place.config == nullptr) {
      config = making.options().printed();
      place.config = &config;
    }
    RETURN_IF_ERROR(check_provider(node, rest));
    CompiledModel::Part part;
    part.provider = std::string(rest.name());
    ASSIGN_OR_RETURN(part.compiled.object, operator_of(node).make_kernel(node, place));
    RETURN_IF_ERROR(compiled.memories.add_callee(part.compiled.object.get(), node.inputs().size(),
                                                 node.outputs().size()));
    node.set_callee(static_cast<uint32_t>(compiled.parts.size()));
    compiled.parts.push_back(std::move(part));
    return Status::ok();
  });
}

}  // namespace ortc
