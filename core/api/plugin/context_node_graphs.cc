// SPDX-License-Identifier: MIT
// EPContext nodes of a library: see the header.
#include "core/api/plugin/context_node_graphs.h"

#include <algorithm>

namespace ortc::api {
namespace {

Result<std::vector<ValueId>> values_of(Graph& graph, const std::vector<std::string>& names) {
  std::vector<ValueId> ids;
  for (const std::string& name : names) {
    const Value* const known = graph.find_value(name);
    if (name.empty()) {
      ids.push_back(kNoValue);
    } else if (known != nullptr) {
      ids.push_back(known->id);
    } else {
      ASSIGN_OR_RETURN(const ValueId id, graph.add_value(name));
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace

void ContextNodeGraphs::take(std::vector<OrtNode*> made) {
  made_ = std::move(made);
  for (OrtNode* node : made_) {
    const bool is_known = std::ranges::any_of(own_, [&](const auto& o) { return o.get() == node; });
    // Nodes of views belong to those, and nodes of a graph to that.
    if (is_alive(node) && node->graph == nullptr && !is_known) own_.emplace_back(node);
  }
}

Status ContextNodeGraphs::check(std::span<const Claim> claims, std::string_view provider) {
  for (size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].context_node != nullptr) continue;
    const OrtNode* const made = made_[i];
    if (made == nullptr) {
      return fail(provider, ": Compile returned a NULL EPContext node for '", claims[i].name, "'");
    }
    if (!is_alive(made)) {
      return make_status(Code::kEpFail, provider, ": Compile gave for '", claims[i].name,
                         "' a node that was released");
    }
    if (made->graph != nullptr) {
      return invalid_graph(provider, ": Compile gave for '", claims[i].name,
                           "' a node that it did not make");
    }
    const NodeDraft& draft = made->draft;
    if (draft.op_type != "EPContext" || draft.domain != kMicrosoftDomain) {
      return invalid_graph(provider, ": Compile gave for '", claims[i].name, "' a node ",
                           draft.domain, ".", draft.op_type, ", expected com.microsoft.EPContext");
    }
    if (draft.name != claims[i].name) {
      return invalid_graph(provider, ": Compile gave for '", claims[i].name,
                           "' an EPContext node called '", draft.name,
                           "', expected the name of the fused node");
    }
    RETURN_IF_ERROR_WHILE(add(*made), provider, ": the EPContext node '", draft.name, "'");
  }
  return Status::ok();
}

Status ContextNodeGraphs::add(const OrtNode& made) {
  auto graph = std::make_shared<Graph>(std::make_shared<const OpsetImports>());
  ASSIGN_OR_RETURN(auto inputs, values_of(*graph, made.draft.inputs));
  ASSIGN_OR_RETURN(auto outputs, values_of(*graph, made.draft.outputs));
  RETURN_IF_ERROR(graph
                      ->add_node(made.draft.op_type, made.draft.domain, made.draft.name,
                                 std::move(inputs), std::move(outputs), made.draft.attributes)
                      .status());
  graphs_.push_back(std::move(graph));
  return Status::ok();
}

std::vector<const Node*> ContextNodeGraphs::nodes() const {
  std::vector<const Node*> nodes;
  for (const auto& graph : graphs_) nodes.push_back(graph->node(0));
  return nodes;
}

}  // namespace ortc::api
