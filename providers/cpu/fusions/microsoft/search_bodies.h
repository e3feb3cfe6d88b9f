// SPDX-License-Identifier: MIT
// What the searches for tokens make of the graphs in their attributes: bodies of Loop.
#pragma once

#include <memory>

#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {

// The graph in the attribute; null when there is none.
const Graph* graph_of(const Node& node, std::string_view name);
// A copy of it, whose names of dims are nobody else's.
std::shared_ptr<Graph> body_copy(Graph& graph, const Node& node, std::string_view name);
Attribute body_attribute(std::shared_ptr<Graph> body);

inline Type scalar_type(DType dtype) { return Type::tensor(dtype, Shape{}); }
inline Type ranked_type(DType dtype, size_t rank) {
  return Type::tensor(dtype, Shape(rank, Dim::unknown()));
}

// Runs the body one time, a Loop of one turn, and gives its outputs.
std::vector<ValueId> run_once(Spelling& s, std::shared_ptr<Graph> body,
                              const std::vector<ValueId>& inputs);

}  // namespace ortc::cpu
