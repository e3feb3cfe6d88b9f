// SPDX-License-Identifier: MIT
// Stretches of float16 and bfloat16 operators compute in float32 (docs/design/half-precision.md):
//
//   x(f16) -> Cast -> x' -> MatMul(x', W f16) -> y' -> Relu -> z' -> ... -> Cast -> graph output
//
// A value gets a float32 twin when the first operator computes it; the original is made from the
// twin, rounded, for readers that stay as they are: graph outputs, bodies, comparisons, operators
// that round or choose. A stretch has an operator whose arithmetic is written for float (a
// reduced_row); elementwise operators among themselves stay as they are, each converts within its
// loop. Weights of products stay 16 bits: a MatMul, Gemm or Conv of float32 reads
// them beside its float32 input. Other constants are widened.
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/half_weights.h"
#include "providers/cpu/products/narrow_panels.h"

namespace ortc::cpu {
namespace {

// Continuous functions of their inputs: a value that is a little more exact gives one that is too.
constexpr std::string_view kComputes =
    "Add Attention AveragePool BatchNormalization Celu Clip Conv ConvTranspose Cos CumSum "
    "Div Einsum Elu Erf Exp GRU Gelu Gemm GlobalAveragePool GlobalMaxPool GridSample "
    "GroupNormalization HardSigmoid HardSwish InstanceNormalization LRN LSTM "
    "LayerNormalization LeakyRelu Log LogSoftmax LpNormalization LpPool MatMul Max Mean "
    "MeanVarianceNormalization Min Mish Mul Neg PRelu Pow RMSNormalization RNN Reciprocal "
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
    "ReduceProd ReduceSum ReduceSumSquare Relu Resize RotaryEmbedding Selu Sigmoid "
    "SimplifiedLayerNormalization Sin Softmax Softplus Softsign Sqrt Sub Sum Swish Tanh "
    "Where ";
constexpr std::string_view kMicrosoftComputes =
    "Attention BiasGelu FastGelu Gelu MatMulNBits MultiHeadAttention QuickGelu RotaryEmbedding "
    "SkipLayerNormalization SkipSimplifiedLayerNormalization ";
// Only carry numbers elsewhere: float32 where the numbers are that already.
constexpr std::string_view kMoves =
    "Concat DepthToSpace Expand Flatten Gather GatherElements GatherND Identity MaxPool Pad "
    "Reshape Slice SpaceToDepth Split Squeeze Tile Transpose Trilu Unsqueeze ";

constexpr int64_t kCastOpset = 6;  // from here on a Cast names its type by number

bool is_listed(const Node& node, std::string_view domain, std::string_view names) {
  if (node.domain() != domain) return false;
  while (!names.empty()) {  // each ends in a space
    const size_t end = names.find(' ');
    if (names.substr(0, end) == node.op_type()) return true;
    names.remove_prefix(end + 1);
  }
  return false;
}

class HalfPrecision {
 public:
  HalfPrecision(Graph& graph, const KernelRegistry& kernels) : graph_(graph), kernels_(kernels) {}

  Result<int> run() {
    if (graph_.opset("") < kCastOpset) return 0;
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    find_stretches();
    int matches = 0;
    for (NodeId id : order) {
      Node& node = *graph_.node(id);
      if (is_wide_cast(node)) {
        graph_.replace_uses(node.output(0), known_twin(node.input(0)));
        continue;
      }
      if (!in_stretch_[id] || (is_listed(node, "", kMoves) && !carries_floats(node))) continue;
      RETURN_IF_ERROR(convert(node));
      ++matches;
    }
    RETURN_IF_ERROR(make_originals());
    return matches;
  }

 private:
  bool is_half_value(ValueId id) const {
    const Value* value = graph_.value(id);
    return value != nullptr && value->type.is_tensor() && is_half(value->type.dtype);
  }
  ValueId known_twin(ValueId id) const { return id < twins_.size() ? twins_[id] : kNoValue; }

  // A Cast to float32 of what is float32 here already.
  bool is_wide_cast(const Node& node) const {
    return node.is_op("Cast") && is_half_value(node.input(0)) &&
           known_twin(node.input(0)) != kNoValue && is_float32(graph_, node.output(0));
  }

  // The kernel that computes the node as it is; null when the node cannot be part of a stretch.
  const KernelRow* row_of(const Node& node) const {
    if (node.custom() != nullptr || node.callee() != kNoCallee) return nullptr;
    // Which of equals is the largest is a choice, and rounding makes equals.
    if (node.is_op("MaxPool") && node.output(1) != kNoValue) return nullptr;
    if (!is_listed(node, "", kMoves) && !is_listed(node, "", kComputes) &&
        !is_listed(node, kMicrosoftDomain, kMicrosoftComputes)) {
      return nullptr;
    }
    const KernelRow* row = kernels_.find(node);
    const bool fits = row != nullptr && is_half_value(node.input(row->typed_input)) &&
                      kernels_.find(node, DType::kFloat32) != nullptr;
    return fits ? row : nullptr;
  }

  // From the operators that would widen their inputs anyway along the values.
  void find_stretches() {
    in_stretch_.assign(graph_.node_bound(), false);
    std::vector<NodeId> pending;
    const auto take = [&](NodeId id) {
      in_stretch_[id] = true;
      pending.push_back(id);
    };
    for (NodeId id = 0; id < graph_.node_bound(); ++id) {
      const KernelRow* row = graph_.node(id) != nullptr ? row_of(*graph_.node(id)) : nullptr;
      if (row != nullptr && row->id.ends_with(".reduced")) take(id);
    }
    const auto follow = [&](NodeId id) {
      if (id != kNoNode && !in_stretch_[id] && row_of(*graph_.node(id)) != nullptr) take(id);
    };
    while (!pending.empty()) {
      const Node& node = *graph_.node(pending.back());
      pending.pop_back();
      for (const auto& ids : {node.inputs(), node.outputs()}) {
        for (ValueId id : ids) {
          if (id == kNoValue || !is_half_value(id) || constant_of(graph_, id) != nullptr) continue;
          follow(graph_.value(id)->producer);
          for (const Use& use : graph_.value(id)->uses)
            follow(use.is_implicit ? kNoNode : use.node);
        }
      }
    }
  }

  bool carries_floats(const Node& node) const {
    bool any = false;
    for (ValueId id : node.inputs()) {
      if (id == kNoValue || !is_half_value(id)) continue;
      const bool is_wide = known_twin(id) != kNoValue;
      if (!is_wide && constant_of(graph_, id) == nullptr) return false;
      any = any || (is_wide && constant_of(graph_, id) == nullptr);
    }
    return any;
  }

  Status convert(const Node& node) {
    const NodeId id = node.id();
    for (uint32_t i = 0; i < node.inputs().size(); ++i) {
      const ValueId input = node.input(i);
      if (input == kNoValue || !is_half_value(input)) continue;
      const Tensor* constant = graph_.value(input)->constant();
      if (constant != nullptr && is_half_weight(node, i, *constant)) continue;
      ASSIGN_OR_RETURN(const ValueId twin, twin_of(input));
      graph_.set_input(id, i, twin);
    }
    for (uint32_t i = 0; i < node.outputs().size(); ++i) {
      const ValueId output = node.output(i);
      if (output == kNoValue || !is_half_value(output)) continue;
      ASSIGN_OR_RETURN(const ValueId twin, new_twin(output));
      graph_.set_output(id, i, twin);
      made_.push_back(output);
    }
    return Status::ok();
  }

  void remember(ValueId id, ValueId twin) {
    if (twins_.size() <= id) twins_.resize(id + 1, kNoValue);
    twins_[id] = twin;
  }

  Result<ValueId> new_twin(ValueId id) {
    Type type = graph_.value(id)->type;
    type.dtype = DType::kFloat32;
    const std::string stem = str_cat(graph_.value(id)->name, "/f32");
    ASSIGN_OR_RETURN(const ValueId twin,
                     graph_.add_value(graph_.unique_name(stem), std::move(type)));
    remember(id, twin);
    return twin;
  }

  // The twin, made from the original where there is none yet.
  Result<ValueId> twin_of(ValueId id) {
    if (const ValueId twin = known_twin(id); twin != kNoValue) return twin;
    if (const Tensor* constant = constant_of(graph_, id); constant != nullptr) {
      ASSIGN_OR_RETURN(Tensor wide, widened(*constant));
      const ValueId twin = graph_.add_constant(graph_.value(id)->name, std::move(wide));
      remember(id, twin);
      return twin;
    }
    ASSIGN_OR_RETURN(const ValueId twin, new_twin(id));
    RETURN_IF_ERROR(add_cast(id, twin, DType::kFloat32));
    return twin;
  }

  Status add_cast(ValueId from, ValueId to, DType type) {
    return graph_
        .add_node("Cast", "", str_cat(graph_.value(to)->name, "/cast"), {from}, {to},
                  {Attribute::of_int("to", static_cast<int64_t>(type))})
        .status();
  }

  // For those who read the original still.
  Status make_originals() {
    for (ValueId id : made_) {
      const Value& value = *graph_.value(id);
      if (value.uses.empty() && !value.is_output) continue;
      RETURN_IF_ERROR(add_cast(twins_[id], id, value.type.dtype));
    }
    return Status::ok();
  }

  Graph& graph_;
  const KernelRegistry& kernels_;
  std::vector<bool> in_stretch_;  // by node
  std::vector<ValueId> twins_;    // by original
  std::vector<ValueId> made_;     // originals whose producers give twins now
};

}  // namespace

Result<int> half_precision(Graph& graph, const KernelRegistry& kernels) {
  return HalfPrecision(graph, kernels).run();
}

}  // namespace ortc::cpu
