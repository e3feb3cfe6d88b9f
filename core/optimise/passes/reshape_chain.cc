// SPDX-License-Identifier: MIT
//   Reshape(r(x), s)                     ->   Reshape(x, s), r one of Reshape, Flatten, Squeeze,
//                                             Unsqueeze; s copies no dim
//   Squeeze(Unsqueeze(x, a), a)          ->   x
//   Unsqueeze(Squeeze(x, a), a)          ->   x
#include <algorithm>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

bool only_reshapes(const Node& node) {
  return node.is_op("Reshape") || node.is_op("Flatten") || node.is_op("Squeeze") ||
         node.is_op("Unsqueeze");
}

// A zero in the shape copies a dim of the node's own input, so that input must stay.
bool copies_dims(const Graph& graph, const Node& node) {
  if (node.opset() < 5) {
    const auto shape = node.ints_attribute("shape");
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
  }
  if (node.int_attribute("allowzero", 0) != 0) return false;
  const auto shape = constant_integers(graph, node.input(1));
  return !shape || std::find(shape->begin(), shape->end(), 0) != shape->end();
}

// Axes counted from the front and sorted; nothing when not known now.
std::optional<std::vector<int64_t>> sorted_axes(const Node& node, std::optional<size_t> rank) {
  auto axes = axes_of(node);
  if (!axes || axes->empty() || !rank) return std::nullopt;
  for (int64_t& axis : *axes) {
    if (axis < 0) axis += static_cast<int64_t>(*rank);
  }
  std::sort(axes->begin(), axes->end());
  return axes;
}

// Both axes lists count in the rank of the tensor that has the extra axes.
bool undoes(const Graph& graph, const Node& node, const Node& source) {
  const bool squeezes = node.is_op("Squeeze") && source.is_op("Unsqueeze");
  const bool unsqueezes = node.is_op("Unsqueeze") && source.is_op("Squeeze");
  if (!squeezes && !unsqueezes) return false;
  const auto wide = rank_of(graph, squeezes ? node.input(0) : source.input(0));
  const auto a = sorted_axes(node, wide), b = sorted_axes(source, wide);
  return a && b && *a == *b;
}

}  // namespace

Result<int> reshape_chain(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!only_reshapes(node)) return false;
    const Node* source = graph.producer(node.input(0));
    if (source == nullptr || !only_reshapes(*source)) return false;
    const ValueId x = source->input(0);
    if (undoes(graph, node, *source)) return bypass(graph, node.id(), x);
    if (!node.is_op("Reshape") || copies_dims(graph, node)) return false;
    const NodeId inner = source->id();
    graph.set_input(node.id(), 0, x);
    remove_unread(graph, inner);
    return true;
  });
}

}  // namespace ortc
