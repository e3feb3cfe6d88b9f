// SPDX-License-Identifier: MIT
// A graph, or some of its nodes, as boxes and edges: compiled parts in the colour of who made them,
// nodes that were left with a dashed edge.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/picture/drawing.h"
#include "tools/ortc/picture/graph_parts.h"
#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

// A box for each part. With `link_prefix` those of several nodes lead to "#<link_prefix><number>".
Drawing draw_parts(const ModelFacts& model, const std::vector<GraphPart>& parts,
                   const std::string& link_prefix);

// The nodes of one part, with what goes in and out.
Drawing draw_nodes(const ModelFacts& model, const GraphPart& part);

// What colours and edges mean, for the nodes of this model.
Drawing draw_legend(const ModelFacts& model);

}  // namespace ortc::tool
