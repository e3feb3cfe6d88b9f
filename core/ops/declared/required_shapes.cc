// SPDX-License-Identifier: MIT
// Shapes that readers require: see the header.
//
//   Conv(x, w)              x has the rank of w       Pool(x) {kernel_shape}   its length and 2
//   Transpose(x) {perm}     x has the length of it    Concat(a, b) -> y        a, b have y's rank
//   Relu(x) -> y            x has the shape of y      Resize(x) -> y           x has y's rank
//   Add(a, b) -> y          a has the rank of y, if b's is lower
//
// Readers come before producers in this walk, so that all that is required of a value is known when
// its producer is reached.
#include "core/ops/declared/required_shapes.h"

#include <algorithm>
#include <array>

#include "core/base/checked_math.h"
#include "core/graph/walk.h"
#include "core/ops/op_list.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Input 0 has the shape of output 0. Most operators of this kind have `infer_same_type`.
constexpr std::string_view kSameShape[] = {"BatchNormalization",
                                           "Cast",
                                           "DequantizeLinear",
                                           "Dropout",
                                           "Gelu",
                                           "Identity",
                                           "Neg",
                                           "PRelu",
                                           "LogSoftmax",
                                           "QuantizeLinear",
                                           "Softmax"};
// The rank of output 0, and as many channels.
constexpr std::string_view kSameChannels[] = {
    "AveragePool", "GlobalAveragePool", "GlobalLpPool",         "GlobalMaxPool",
    "LpPool",      "MaxPool",           "InstanceNormalization"};
constexpr std::string_view kSameRank[] = {"Pad", "Resize", "Slice", "Split", "Tile", "Upsample"};
constexpr std::string_view kBroadcast[] = {"Add", "Sub", "Mul",  "Div", "Max",
                                           "Min", "Sum", "Mean", "Pow"};
constexpr int64_t kNumpyBroadcast = 8;  // of all of these, from this opset on

bool is_one_of(const Node& node, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return node.is_op(name); });
}

class Requirements {
 public:
  explicit Requirements(Graph& graph)
      : graph_(graph), needs_(graph.value_bound()), is_live_(graph.node_bound()) {}

  void add_to(std::vector<RequiredShape>& found) {
    if (!any_is_open()) return;
    const auto order = graph_.topological_order();
    if (!order.is_ok()) return;
    for (auto id = order->rbegin(); id != order->rend(); ++id) {
      const Node& node = *graph_.node(*id);
      is_live_[*id] = is_read(node);
      if (is_live_[*id] && node.custom() == nullptr) see(node);
    }
    for (ValueId id = 0; id < needs_.size(); ++id) {
      const Need& need = needs_[id];
      if (need.rank == 0 || need.is_contradicted) continue;
      Shape shape = unknown_shape(need.rank);
      if (need.channels >= 0 && need.rank > 1) shape[1] = Dim::known(need.channels);
      found.push_back({&graph_, id, std::move(shape)});
    }
  }

 private:
  struct Need {
    size_t rank = 0;        // 0: nothing is known
    int64_t channels = -1;  // axis 1; -1: any number
    bool is_contradicted = false;
  };

  bool is_open(ValueId id) const {
    const Value* value = graph_.value(id);
    return value != nullptr && value->type.is_tensor() && !value->type.has_shape() &&
           value->producer != kNoNode;
  }
  bool any_is_open() const {
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      if (is_open(id)) return true;
    }
    return false;
  }

  bool is_read(const Node& node) const {
    return std::ranges::any_of(node.outputs(), [&](ValueId id) {
      const Value* value = graph_.value(id);
      return value != nullptr &&
             (value->is_output ||
              std::ranges::any_of(value->uses, [&](auto use) { return is_live_[use.node]; }));
    });
  }

  Need shape_of(ValueId id) const {
    const Value* value = graph_.value(id);
    if (value == nullptr) return {};
    if (!value->type.has_shape()) return needs_[id].is_contradicted ? Need{} : needs_[id];
    const Shape& shape = *value->type.shape;
    return {shape.size(), shape.size() > 1 && shape[1].is_known() ? shape[1].value : -1};
  }

  void require(ValueId id, size_t rank, int64_t channels = -1) {
    if (!is_open(id) || rank == 0 || rank > kShapeRankMax) return;
    Need& need = needs_[id];
    need.is_contradicted |= (need.rank != 0 && need.rank != rank) ||
                            (need.channels >= 0 && channels >= 0 && need.channels != channels);
    need.rank = rank;
    need.channels = std::max(need.channels, channels);
  }

  void see(const Node& node) {
    if (node.is_op("Conv") || node.is_op("ConvInteger")) return see_conv(node, 1);
    if (node.is_op("QLinearConv")) return see_conv(node, 3);
    if (node.is_op("ConvTranspose")) return see_conv_transpose(node);
    if (node.is_op("Transpose")) return require(node.input(0), node.ints_attribute("perm").size());
    const Need y = shape_of(node.output(0));
    if (node.is_op("Concat")) {
      for (ValueId id : node.inputs()) require(id, y.rank);
      return;
    }
    if (is_one_of(node, kSameChannels)) {
      const size_t axes = node.ints_attribute("kernel_shape").size();
      return require(node.input(0), axes > 0 ? axes + 2 : y.rank, y.channels);
    }
    if (is_one_of(node, kSameRank)) return require(node.input(0), y.rank);
    if (is_one_of(node, kBroadcast)) return see_broadcast(node, y.rank);
    const OpRow* row = find_op(node.domain(), node.op_type(), node.opset());
    const bool is_same = row != nullptr && row->infer == infer_same_type;
    if (is_same || is_one_of(node, kSameShape)) require(node.input(0), y.rank, y.channels);
  }

  void see_conv(const Node& node, size_t weights) {
    const Need w = shape_of(node.input(weights));
    if (w.rank < 3) return;
    const auto channels =
        w.channels >= 0 ? checked_mul(w.channels, node.int_attribute("group", 1)) : std::nullopt;
    require(node.input(0), w.rank, channels.value_or(-1));
  }

  void see_conv_transpose(const Node& node) {
    const Value* w = graph_.value(node.input(1));
    if (w == nullptr || !w->type.has_shape() || w->type.shape->size() < 3) return;
    require(node.input(0), w->type.shape->size(), (*w->type.shape)[0].value);
  }

  // The result has the highest rank of all operands.
  void see_broadcast(const Node& node, size_t rank) {
    if (node.opset() < kNumpyBroadcast) return;
    ValueId open = kNoValue;
    for (ValueId id : node.inputs()) {
      const size_t known = shape_of(id).rank;
      const Value* value = graph_.value(id);
      const bool is_known = known > 0 || (value != nullptr && value->type.has_shape());
      if ((!is_known && open != kNoValue) || known >= rank) return;
      if (!is_known) open = id;
    }
    require(open, rank);
  }

  Graph& graph_;
  std::vector<Need> needs_;    // by value
  std::vector<bool> is_live_;  // by node
};

void add_required(Graph& graph, std::vector<RequiredShape>& found) {
  Requirements(graph).add_to(found);
  for (const Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) add_required(*body, found);
  }
}

}  // namespace

std::vector<RequiredShape> required_shapes(Graph& graph) {
  std::vector<RequiredShape> found;
  add_required(graph, found);
  return found;
}

}  // namespace ortc
