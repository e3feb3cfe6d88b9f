// SPDX-License-Identifier: MIT
//   Conv(Pad(x, p), w) {pads}                 ->   Conv(x, w) {pads + p}
//   Conv(Transpose(Pad(x, p), q), w) {pads}   ->   Conv(Transpose(x, q), w) {pads + p[q]}
//
// where Pad adds zeros to spatial axes.
#include <algorithm>
#include <numeric>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// The value that Pad puts in is zero.
bool pads_with_zeros(const Graph& graph, const Node& pad) {
  if (pad.string_attribute("mode", "constant") != "constant") return false;
  if (pad.opset() < 11) return pad.float_attribute("value", 0.0f) == 0.0f;
  if (pad.input(2) == kNoValue) return true;
  const auto value = scalar_of(graph, pad.input(2));
  return value && *value == 0.0;
}

// Begins of all axes, then ends, in the order that follows; nothing when they are not known, cut, or
// come with axes.
std::optional<std::vector<int64_t>> pads_of(const Graph& graph, const Node& pad,
                                            const std::vector<int64_t>& order) {
  const size_t rank = order.size();
  if (pad.opset() < 2 || pad.input(3) != kNoValue) return std::nullopt;
  auto pads =
      pad.opset() < 11 ? pad.ints_attribute("pads") : constant_integers(graph, pad.input(1));
  if (!pads || pads->size() != 2 * rank) return std::nullopt;
  std::vector<int64_t> ordered;
  for (size_t i = 0; i < pads->size(); ++i) {
    const bool is_spatial = i % rank >= 2;
    const int64_t pad_size = (*pads)[i / rank * rank + static_cast<size_t>(order[i % rank])];
    if (pad_size < 0 || pad_size > INT32_MAX || (!is_spatial && pad_size != 0)) return std::nullopt;
    ordered.push_back(pad_size);
  }
  return ordered;
}

// The axes of Pad's result in the order in which the convolution has them.
std::vector<int64_t> order_of(const Node* turn, size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return turn != nullptr ? permutation_of(*turn).value_or(std::vector<int64_t>()) : order;
}

}  // namespace

Result<int> pad_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& conv) -> Result<bool> {
    if (!conv.is_op("Conv")) return false;
    const std::string_view auto_pad = conv.string_attribute("auto_pad", "NOTSET");
    Node* turn = graph.producer(conv.input(0));
    if (turn != nullptr && !turn->is_op("Transpose")) turn = nullptr;
    Node& reader = turn != nullptr ? *turn : conv;
    const Node* pad = graph.producer(reader.input(0));
    const auto rank = rank_of(graph, conv.input(0));
    if (pad == nullptr || !pad->is_op("Pad") || !rank || *rank < 3 ||
        (auto_pad != "NOTSET" && auto_pad != "VALID") ||
        graph.only_consumer(conv.input(0)) != &conv ||
        graph.only_consumer(reader.input(0)) != &reader || !pads_with_zeros(graph, *pad)) {
      return false;
    }
    // Windows over nothing but padding have no kernel.
    const Shape* padded = known_shape(graph, pad->input(0));
    const bool is_empty =
        padded != nullptr &&
        std::any_of(padded->begin(), padded->end(), [](const Dim& d) { return d.value == 0; });
    if (is_empty) return false;
    const auto order = order_of(turn, *rank);
    if (order.size() != *rank) return false;
    const auto added = pads_of(graph, *pad, order);
    const size_t spatial = *rank - 2;
    std::vector<int64_t> pads(2 * spatial, 0);
    if (auto_pad == "NOTSET" && conv.attribute("pads") != nullptr)
      pads = conv.ints_attribute("pads");
    if (!added || pads.size() != 2 * spatial) return false;
    for (size_t i = 0; i < spatial; ++i) {
      const auto begin = checked_add(pads[i], (*added)[2 + i]);
      const auto end = checked_add(pads[spatial + i], (*added)[*rank + 2 + i]);
      if (!begin || !end) return false;
      pads[i] = *begin;
      pads[spatial + i] = *end;
    }
    const NodeId pad_id = pad->id();
    conv.set_attribute(Attribute::of_ints("pads", std::move(pads)));
    conv.remove_attribute("auto_pad");
    graph.set_input(reader.id(), 0, pad->input(0));
    if (turn != nullptr) graph.value(turn->output(0))->type.shape.reset();
    remove_unread(graph, pad_id);
    return true;
  });
}

}  // namespace ortc
