// SPDX-License-Identifier: MIT
// EPContext nodes of the model that the host loads: collected, so that a node without contents of
// its own finds the one that has them, and opened.
#pragma once

#include <memory>

#include "core/context/context_source.h"
#include "providers/ortc_ep/host_graph.h"

namespace ortc::ort_ep {

struct ContextNodes {
  std::shared_ptr<const Model> model;
  bool is_whole = false;  // all that the model has; else the host shows a part of it
};

// The EPContext nodes that a graph and its bodies have, and those around it as far as the host
// shows them; nodes alone, without values. Those of source `own_source` are the AOT provider's.
Result<ContextNodes> read_context_nodes(const Host& host, const OrtGraph& graph,
                                        std::string_view own_source);

// The node among `contexts` that `node` of the host is; null when there is none.
Result<const Node*> find_context_node(const Host& host, const Model& contexts, const OrtNode& node);

// A node that this provider made under another name is the AOT provider's.
void become_aot_source(Node& node, std::string_view own_source);

}  // namespace ortc::ort_ep
