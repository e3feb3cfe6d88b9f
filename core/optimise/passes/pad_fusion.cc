// SPDX-License-Identifier: MIT
//   Conv(Pad(x, p), w) {pads}                 ->   Conv(x, w) {pads + p}
//   Conv(Transpose(Pad(x, p), q), w) {pads}   ->   Conv(Transpose(x, q), w) {pads + p[q]}
//
// where Pad adds zeros to spatial axes. The same for a MaxPool where no number of x is negative:
// then zeros are never larger than what a window has, and a pool's own padding counts as less than
// all.
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

// Begins of all axes, then ends, in the order that follows; nothing when they are not known, cut,
// or come with axes.
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

bool is_never_negative(const Graph& graph, ValueId id) {
  const Node* node = graph.producer(id);
  if (node != nullptr && node->is_op("Transpose")) node = graph.producer(node->input(0));
  if (node == nullptr) return false;
  if (!node->is_op("Clip")) return node->is_op("Relu") || node->is_op("Sigmoid");
  if (node->opset() < 11) return node->float_attribute("min", -1.0f) >= 0.0f;
  const auto least = scalar_of(graph, node->input(1));
  return least && *least >= 0.0;
}

// A pool whose windows all have a number, so padded, and are as many as before.
bool pool_takes(const Graph& graph, const Node& pool, const Node& pad,
                const std::vector<int64_t>& pads) {
  const auto kernel = pool.ints_attribute("kernel_shape"),
             dilations = pool.ints_attribute("dilations");
  const auto is_one = [](int64_t dilation) { return dilation == 1; };
  if (pool.int_attribute("ceil_mode", 0) != 0 || !only_output_is_read(pool) ||
      !std::ranges::all_of(dilations, is_one) || 2 * kernel.size() != pads.size()) {
    return false;
  }
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] >= kernel[i % kernel.size()]) return false;
  }
  return is_never_negative(graph, pad.input(0));
}

// The axes of Pad's result in the order in which the convolution has them.
std::vector<int64_t> order_of(const Node* turn, size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return turn != nullptr ? permutation_of(*turn).value_or(std::vector<int64_t>()) : order;
}

}  // namespace

Result<int> pad_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    const bool is_pool = node.is_op("MaxPool");
    if (!is_pool && !node.is_op("Conv")) return false;
    const std::string_view auto_pad = node.string_attribute("auto_pad", "NOTSET");
    Node* turn = graph.producer(node.input(0));
    if (turn != nullptr && !turn->is_op("Transpose")) turn = nullptr;
    Node& reader = turn != nullptr ? *turn : node;
    const Node* pad = graph.producer(reader.input(0));
    const auto rank = rank_of(graph, node.input(0));
    if (pad == nullptr || !pad->is_op("Pad") || !rank || *rank < 3 ||
        (auto_pad != "NOTSET" && auto_pad != "VALID") ||
        graph.only_consumer(node.input(0)) != &node ||
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
    if (auto_pad == "NOTSET" && node.attribute("pads") != nullptr)
      pads = node.ints_attribute("pads");
    if (!added || pads.size() != 2 * spatial) return false;
    for (size_t i = 0; i < spatial; ++i) {
      const auto begin = checked_add(pads[i], (*added)[2 + i]);
      const auto end = checked_add(pads[spatial + i], (*added)[*rank + 2 + i]);
      if (!begin || !end) return false;
      pads[i] = *begin;
      pads[spatial + i] = *end;
    }
    if (is_pool && !pool_takes(graph, node, *pad, pads)) return false;
    const NodeId pad_id = pad->id();
    node.set_attribute(Attribute::of_ints("pads", std::move(pads)));
    node.remove_attribute("auto_pad");
    graph.set_input(reader.id(), 0, pad->input(0));
    if (turn != nullptr) graph.value(turn->output(0))->type.shape.reset();
    remove_unread(graph, pad_id);
    return true;
  });
}

}  // namespace ortc
