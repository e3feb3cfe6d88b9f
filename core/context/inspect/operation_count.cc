// SPDX-License-Identifier: MIT
// Counting operations: see the header.
#include "core/context/inspect/operation_count.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

constexpr std::string_view kMoves[] = {
    "Cast",     "CastLike",  "Concat",    "Constant",     "ConstantOfShape", "DepthToSpace",
    "Dropout",  "Expand",    "Flatten",   "Gather",       "GatherElements",  "GatherND",
    "Identity", "Pad",       "Range",     "Reshape",      "ScatterElements", "ScatterND",
    "Shape",    "Size",      "Slice",     "SpaceToDepth", "Split",           "Squeeze",
    "Tile",     "Transpose", "Unsqueeze", "Where"};
constexpr std::string_view kElementwise[] = {"Abs",
                                             "Add",
                                             "And",
                                             "BatchNormalization",
                                             "Ceil",
                                             "Clip",
                                             "Cos",
                                             "DequantizeLinear",
                                             "Div",
                                             "Elu",
                                             "Equal",
                                             "Erf",
                                             "Exp",
                                             "FastGelu",
                                             "Floor",
                                             "Gelu",
                                             "Greater",
                                             "GreaterOrEqual",
                                             "HardSigmoid",
                                             "HardSwish",
                                             "LayerNormalization",
                                             "LeakyRelu",
                                             "Less",
                                             "LessOrEqual",
                                             "Log",
                                             "LogSoftmax",
                                             "Max",
                                             "Min",
                                             "Mish",
                                             "Mod",
                                             "Mul",
                                             "Neg",
                                             "Not",
                                             "Or",
                                             "PRelu",
                                             "Pow",
                                             "QuantizeLinear",
                                             "Reciprocal",
                                             "Relu",
                                             "Round",
                                             "Selu",
                                             "Sigmoid",
                                             "Sign",
                                             "Sin",
                                             "Softmax",
                                             "Softplus",
                                             "Softsign",
                                             "Sqrt",
                                             "Sub",
                                             "Tanh",
                                             "ThresholdedRelu",
                                             "Xor",
                                             "SimplifiedLayerNormalization",
                                             "InstanceNormalization",
                                             "GroupNormalization"};
constexpr std::string_view kReductions[] = {
    "ReduceL1",          "ReduceL2",        "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax",         "ReduceMean",      "ReduceMin",    "ReduceProd",
    "ReduceSum",         "ReduceSumSquare", "ArgMax",       "ArgMin",
    "GlobalAveragePool", "GlobalMaxPool",   "CumSum",       "TopK"};

template <size_t N>
bool has(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

using Count = std::optional<uint64_t>;

Count times(Count a, Count b) {
  uint64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

class Counter {
 public:
  explicit Counter(const Node& node) : node_(node), graph_(*node.graph()) {}

  Count run() const {
    const std::string& op = node_.op_type();
    if (!node_.domain().empty() && node_.domain() != kMicrosoftDomain) return std::nullopt;
    if (has(kMoves, op)) return 0;
    if (has(kElementwise, op)) return elements(node_.output(0));
    if (has(kReductions, op)) return elements(node_.input(0));
    if (op == "MatMul" || op == "MatMulInteger" || op == "QLinearMatMul") return product();
    if (op == "Gemm") return gemm();
    if (op == "Conv" || op == "ConvInteger") return convolution(1, node_.output(0));
    if (op == "QLinearConv") return convolution(3, node_.output(0));
    if (op == "ConvTranspose") return convolution(1, node_.input(0));
    if (op == "AveragePool" || op == "MaxPool") return pool();
    return std::nullopt;
  }

 private:
  std::optional<Dims> dims(ValueId id) const {
    if (id == kNoValue) return std::nullopt;
    const Value& value = *graph_.value(id);
    if (value.initializer) return value.initializer->tensor.dims();
    return value.type.dims();
  }

  Count elements(ValueId id) const {
    const auto shape = dims(id);
    if (!shape) return std::nullopt;
    const auto count = checked_element_count(*shape);
    return count ? Count(static_cast<uint64_t>(*count)) : std::nullopt;
  }

  // Each element of the output is a row of the first input times a column of the other.
  Count product() const {
    const auto first = dims(node_.input(0));
    if (!first || first->empty()) return std::nullopt;
    return times(times(elements(node_.output(0)), static_cast<uint64_t>(first->back())), 2);
  }

  Count gemm() const {
    const auto first = dims(node_.input(0));
    if (!first || first->size() != 2) return std::nullopt;
    const bool is_turned = node_.int_attribute("transA", 0) != 0;
    return times(
        times(elements(node_.output(0)), static_cast<uint64_t>((*first)[is_turned ? 0 : 1])), 2);
  }

  // Weights are [channels out, channels in of a group, kernel...]: of a convolution each element of
  // the output takes all but the first; of a transposed one each of the input gives all but that.
  Count convolution(size_t weights, ValueId places) const {
    const auto shape = dims(node_.input(weights));
    if (!shape || shape->empty()) return std::nullopt;
    const auto taken = checked_element_count(std::span(*shape).subspan(1));
    if (!taken) return std::nullopt;
    return times(times(elements(places), static_cast<uint64_t>(*taken)), 2);
  }

  Count pool() const {
    Count count = elements(node_.output(0));
    for (int64_t size : node_.ints_attribute("kernel_shape")) {
      if (size < 0) return std::nullopt;
      count = times(count, static_cast<uint64_t>(size));
    }
    return count;
  }

  const Node& node_;
  const Graph& graph_;
};

}  // namespace

std::optional<uint64_t> operation_count(const Node& node) { return Counter(node).run(); }

}  // namespace ortc
