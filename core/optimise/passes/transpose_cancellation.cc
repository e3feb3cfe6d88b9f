// SPDX-License-Identifier: MIT
//   Transpose(Transpose(x, p), q)   ->   Transpose(x, p[q]), or x when that moves nothing
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {

Result<int> transpose_cancellation(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    const auto second = permutation_of(node);
    const Node* source = second ? graph.producer(node.input(0)) : nullptr;
    if (source == nullptr) return false;
    const auto first = permutation_of(*source);
    if (!first || first->size() != second->size()) return false;
    std::vector<int64_t> both;
    bool moves = false;
    for (size_t i = 0; i < second->size(); ++i) {
      both.push_back((*first)[static_cast<size_t>((*second)[i])]);
      moves = moves || both.back() != static_cast<int64_t>(i);
    }
    const ValueId x = source->input(0);
    if (!moves) return bypass(graph, node.id(), x);
    const NodeId inner = source->id();
    node.set_attribute(Attribute::of_ints("perm", std::move(both)));
    graph.set_input(node.id(), 0, x);
    remove_unread(graph, inner);
    return true;
  });
}

}  // namespace ortc
