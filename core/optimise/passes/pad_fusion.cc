// SPDX-License-Identifier: MIT
//   Conv(Pad(x, p), w) {pads}   ->   Conv(x, w) {pads + p}, where Pad adds zeros to spatial axes
#include <algorithm>

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

// Begins of all axes, then ends; nothing when they are not known, cut, or come with axes.
std::optional<std::vector<int64_t>> pads_of(const Graph& graph, const Node& pad, size_t rank) {
  if (pad.opset() < 2 || pad.input(3) != kNoValue) return std::nullopt;
  auto pads =
      pad.opset() < 11 ? pad.ints_attribute("pads") : constant_integers(graph, pad.input(1));
  if (!pads || pads->size() != 2 * rank) return std::nullopt;
  for (size_t i = 0; i < pads->size(); ++i) {
    const bool is_spatial = i % rank >= 2;
    const int64_t pad_size = (*pads)[i];
    if (pad_size < 0 || pad_size > INT32_MAX || (!is_spatial && pad_size != 0)) return std::nullopt;
  }
  return pads;
}

}  // namespace

Result<int> pad_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& conv) -> Result<bool> {
    if (!conv.is_op("Conv")) return false;
    const std::string_view auto_pad = conv.string_attribute("auto_pad", "NOTSET");
    const Node* pad = graph.producer(conv.input(0));
    const auto rank = rank_of(graph, conv.input(0));
    if (pad == nullptr || !pad->is_op("Pad") || !rank || *rank < 3 ||
        (auto_pad != "NOTSET" && auto_pad != "VALID") ||
        graph.only_consumer(conv.input(0)) != &conv || !pads_with_zeros(graph, *pad)) {
      return false;
    }
    // Windows over nothing but padding have no kernel.
    const Shape* padded = known_shape(graph, pad->input(0));
    const bool is_empty =
        padded != nullptr &&
        std::any_of(padded->begin(), padded->end(), [](const Dim& d) { return d.value == 0; });
    if (is_empty) return false;
    const auto added = pads_of(graph, *pad, *rank);
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
    graph.set_input(conv.id(), 0, pad->input(0));
    remove_unread(graph, pad_id);
    return true;
  });
}

}  // namespace ortc
