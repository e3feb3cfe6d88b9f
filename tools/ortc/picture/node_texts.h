// SPDX-License-Identifier: MIT
// What pictures and tables say of nodes.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/picture/graph_parts.h"
#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

// Literals: pictures leave them out, since they are many and each is read at one place.
inline bool is_constant(const NodeFacts& node) {
  return node.op == "Constant" && node.reads.empty();
}
std::string constants_text(const ModelFacts& model);  // says so; empty where there are none

std::string node_title(const NodeFacts& node);  // "MatMul", "AOT 1.2 MiB", "If, 12 nodes inside"
std::string node_name(const NodeFacts& node);   // or that of its first value
// Which class of the style draws it.
std::string node_class(const ModelFacts& model, const NodeFacts& node);
std::string node_hover(const ModelFacts& model, const NodeFacts& node);

std::string operators_text(const ModelFacts& model, const GraphPart& part);  // "12 MatMul, 4 Add"
std::string part_hover(const ModelFacts& model, const GraphPart& part);

struct LegendRow {
  std::string classes, text;
};
std::vector<LegendRow> legend_rows(const ModelFacts& model);

}  // namespace ortc::tool
