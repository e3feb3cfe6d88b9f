// SPDX-License-Identifier: MIT
// Convolutions between quantised ends that ortc.QConv, which is for images with constant weights,
// does not take: lines, volumes, computed weights. D and Q are linear dequantisation and
// quantisation; x has one scale, weights one or one a filter:
//
//   Q(Conv(D(x), D(w), bias))        -> QLinearConv(x, w, bias)
//   Q(Relu(Conv(D(x), D(w), bias)))  -> the same where the result's zero point is its least number
//
// The bias becomes integers in the scale of the sums, where that scale is fine enough for it.
#include <cmath>

#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {
namespace {

// How far a bias may be from its integers, in steps of the result: about as rarely does a result
// become the step beside the right one.
constexpr double kBiasTolerance = 1.0 / 256;

constexpr int64_t kIntegerOpset = 10;  // the first with QLinearConv

struct Weights {
  ValueId w = kNoValue, zero = kNoValue;
  std::vector<float> scales;
};

class QuantisedWindows {
 public:
  explicit QuantisedWindows(Graph& graph) : graph_(graph) {}

  Result<bool> rewrite(NodeId id) {
    const Node& node = *graph_.node(id);
    const Tensor* constant = weights_constant(node);
    const Shape* shape = known_shape(graph_, node.output(0));
    if (!node.is_op("Conv") || shape == nullptr || shape->size() < 3 ||
        (shape->size() == 4 && constant != nullptr)) {
      return false;
    }
    const auto x = dequantised(graph_, node.input(0));
    const auto w = weights_of(node.input(1));
    if (!x || !w) return false;
    Node* quantize = only_quantizer(graph_, node.output(0));
    NodeId relu = kNoNode;
    if (quantize == nullptr) {
      const Node* next = graph_.only_consumer(node.output(0));
      if (next == nullptr || !next->is_op("Relu")) return false;
      relu = next->id();
      quantize = only_quantizer(graph_, next->output(0));
    }
    if (quantize == nullptr) return false;
    const QuantParams to = *quant_params(graph_, *quantize);
    if (relu != kNoNode && to.zero != (to.dtype == DType::kInt8 ? -128 : 0)) return false;
    const auto room = bias_room_of(*w);
    if (!room || *room < 0) return false;
    const auto bias = bias_of(node, *x, *w, to, *room);
    if (!bias) return false;
    return replace(id, relu, quantize->id(), *x, *w, to, *bias);
  }

 private:
  const Tensor* weights_constant(const Node& node) const {
    const Node* from = graph_.producer(node.input(1));
    return from != nullptr ? constant_at(from->input(0)) : constant_at(node.input(1));
  }
  const Tensor* constant_at(ValueId id) const {
    const Value* value = graph_.value(id);
    return value != nullptr ? value->constant() : nullptr;
  }

  std::optional<Weights> weights_of(ValueId id) {
    if (const auto constant = dequantised_weights(graph_, id)) {
      if (constant->scales.size() > 1 && constant->axis != 0) return std::nullopt;
      return Weights{constant->w, constant->zero, constant->scales};
    }
    const auto computed = dequantised(graph_, id);
    if (!computed) return std::nullopt;
    return Weights{computed->x, add_zero(graph_, computed->params), {computed->params.scale}};
  }

  // See bias_room(); nothing where the depth is not known.
  std::optional<int64_t> bias_room_of(const Weights& w) const {
    const auto dims = dims_of(graph_, w.w);
    if (!dims || dims->empty()) return std::nullopt;
    const auto depth = checked_element_count(std::span(*dims).subspan(1));
    if (!depth) return std::nullopt;
    return bias_room(*depth);
  }

  // Integers, at most `room`, or kNoValue without a bias; nothing when it cannot be integers.
  std::optional<ValueId> bias_of(const Node& node, const Dequantised& x, const Weights& w,
                                 const QuantParams& to, int64_t room) {
    if (node.input(2) == kNoValue) return kNoValue;
    const Shape* shape = known_shape(graph_, node.output(0));
    if (!(*shape)[1].is_known()) return std::nullopt;
    const int64_t count = (*shape)[1].value;
    const auto numbers = constant_vector(graph_, node.input(2), count);
    if (!numbers) return std::nullopt;
    auto integers = Tensor::create(DType::kInt32, {count});
    if (!integers.is_ok()) return std::nullopt;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const double unit = double{x.params.scale} * double{w.scales[w.scales.size() > 1 ? i : 0]};
      const double number = numbers->numbers[i], sum = std::nearbyint(number / unit);
      const double error = std::fabs(number - sum * unit);
      if (!(std::fabs(sum) <= static_cast<double>(room)) || !(error <= kBiasTolerance * to.scale)) {
        return std::nullopt;
      }
      integers->mutable_elements<int32_t>()[i] = static_cast<int32_t>(sum);
    }
    return graph_.add_constant(graph_.value(node.input(2))->name, std::move(*integers));
  }

  Result<bool> replace(NodeId id, NodeId relu, NodeId quantize, const Dequantised& x,
                       const Weights& w, const QuantParams& to, ValueId bias) {
    const Node& node = *graph_.node(id);
    const auto scale = [&](float v) { return graph_.add_constant("scale", Tensor::scalar(v)); };
    const std::string name = node.name();
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : node.attributes()) attributes.push_back(attribute);
    const ValueId w_scale = w.scales.size() > 1
                                ? add_floats(graph_, str_cat(name, "/scale"), w.scales)
                                : scale(w.scales[0]);
    const ValueId w_zero = w.zero != kNoValue ? w.zero : no_zero(w.w);
    std::vector<ValueId> inputs = {
        x.x,    scale(x.params.scale), add_zero(graph_, x.params), w.w, w_scale,
        w_zero, scale(to.scale),       add_zero(graph_, to)};
    if (bias != kNoValue) inputs.push_back(bias);
    const ValueId output = graph_.node(quantize)->output(0);
    graph_.remove_node(quantize);
    if (relu != kNoNode) graph_.remove_node(relu);
    graph_.remove_node(id);
    auto added = graph_.add_node("QLinearConv", "", name, std::move(inputs), {output},
                                 std::move(attributes));
    if (!added.is_ok()) return added.status();
    read_with(graph_, (*added)->id(), kIntegerOpset);
    return true;
  }

  ValueId no_zero(ValueId w) {
    return add_zero(graph_, QuantParams{1.0f, 0, graph_.value(w)->type.dtype});
  }

  Graph& graph_;
};

}  // namespace

Result<int> quantised_windows(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("QLinearConv", "")) return 0;
  QuantisedWindows windows(graph);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(const bool done, windows.rewrite(id));
    matches += done ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
