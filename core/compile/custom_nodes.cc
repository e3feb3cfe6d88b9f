// SPDX-License-Identifier: MIT
// Kernels of custom nodes: see the header.
#include "core/compile/custom_nodes.h"

#include "core/graph/walk.h"

namespace ortc {
namespace {

// Calls `visit` for every custom node that is left, those of sub-graphs included: also of nodes
// that somebody claimed, as long as they have them.
template <typename G, typename F>
Status visit_custom_nodes(G& graph, F&& visit) {
  for (auto& node : nodes_of(graph)) {
    const bool is_left = node.callee() == kNoCallee && node.custom() != nullptr;
    if (is_left) RETURN_IF_ERROR_WHILE(visit(node), node.label());
    for (Graph* body : node.subgraphs()) {
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
  return not_implemented("the custom operator is for ", wanted, ", which did not take the node; ",
                         rest.name(), " cannot run it");
}

}  // namespace

Status check_custom_nodes(const Graph& graph, const ProviderFactory& rest) {
  return visit_custom_nodes(graph, [&](const Node& node) { return check_provider(node, rest); });
}

Result<std::vector<CustomCall>> make_custom_kernels(Graph& graph, const ProviderFactory& rest,
                                                    const CustomKernelPlace& place,
                                                    uint32_t first_callee) {
  std::vector<CustomCall> calls;
  RETURN_IF_ERROR(visit_custom_nodes(graph, [&](Node& node) -> Status {
    RETURN_IF_ERROR(check_provider(node, rest));
    ASSIGN_OR_RETURN(auto object, operator_of(node).make_kernel(node, place));
    node.set_callee(first_callee + static_cast<uint32_t>(calls.size()));
    calls.push_back({std::move(object), node.inputs().size(), node.outputs().size()});
    return Status::ok();
  }));
  return calls;
}

}  // namespace ortc
