// SPDX-License-Identifier: MIT
// P = ortc.Gemm | Conv | ortc.Conv | ortc.QGemm or ortc.QConv that gives float32
//   Add(P, constant of one row or channel) -> P with bias
//   Add(P, R of P's shape)                 -> P with residual
//   activation(P)                          -> P {activation}
// In this order, each at most once, and only where P's result has no other reader. Fusing a
// residual before the other branch is computed is safe: the graph stays ordered by its values.
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {
namespace {

struct Target {
  NodeId id;
  bool is_conv;
  uint32_t bias = ProductInput::kBias, residual = ProductInput::kResidual;  // where they go
};

// The number of columns of a Gemm, channels of a Conv.
std::optional<int64_t> channels_of(const Graph& graph, const Target& target) {
  const Node& node = *graph.node(target.id);
  const Shape* shape = known_shape(graph, node.output(0));
  if (shape == nullptr || shape->empty()) return std::nullopt;
  const size_t axis = target.is_conv ? 1 : shape->size() - 1;
  if (axis >= shape->size() || !(*shape)[axis].is_known()) return std::nullopt;
  return (*shape)[axis].value;
}

// True when a constant of these dims varies along the channel axis only, given the product's rank.
bool is_channel_constant(const Tensor& constant, size_t rank, bool is_conv, int64_t channels) {
  const Dims& dims = constant.dims();
  if (constant.dtype() != DType::kFloat32 || constant.element_count() != channels ||
      dims.size() > rank) {
    return false;
  }
  const size_t axis = is_conv ? 1 : rank - 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t place = i + rank - dims.size();
    if (dims[i] != (place == axis ? channels : 1)) return false;
  }
  return true;
}

// The product's node takes over the consumer's output.
void absorb(Graph& graph, NodeId product, NodeId consumer) {
  const ValueId output = graph.node(consumer)->output(0);
  graph.remove_node(consumer);
  graph.set_output(product, 0, output);
}

Result<bool> fuse_add(Graph& graph, const Target& target) {
  Node& product = *graph.node(target.id);
  Node* add = graph.only_consumer(product.output(0));
  if (add == nullptr || !add->is_op("Add") || !broadcasts_as_numpy(*add) ||
      !product.string_attribute("activation", "").empty()) {
    return false;
  }
  const ValueId other = add->input(add->input(0) == product.output(0) ? 1 : 0);
  const Shape* shape = known_shape(graph, product.output(0));
  if (other == product.output(0) || shape == nullptr || !is_float32(graph, other)) return false;
  // The sum must have the product's shape: the other operand may only be broadcast.
  if (!same_shape(graph, product.output(0), add->output(0))) return false;

  const Tensor* constant = graph.value(other)->constant();
  const auto channels = channels_of(graph, target);
  if (constant != nullptr && channels && product.input(target.bias) == kNoValue &&
      product.input(target.residual) == kNoValue &&
      is_channel_constant(*constant, shape->size(), target.is_conv, *channels)) {
    const ValueId bias =
        graph.add_constant(graph.value(other)->name, constant->reshaped({*channels}));
    graph.set_input(target.id, target.bias, bias);
    absorb(graph, target.id, add->id());
    return true;
  }
  if (product.input(target.residual) != kNoValue || !same_shape(graph, product.output(0), other)) {
    return false;
  }
  if (constant != nullptr) return false;
  graph.set_input(target.id, target.residual, other);
  absorb(graph, target.id, add->id());
  return true;
}

struct FusedActivation {
  std::string name;
  float alpha = 0, beta = 0;
};

std::optional<FusedActivation> clip_of(const Graph& graph, const Node& clip) {
  FusedActivation activation{"Clip", -3.402823466e38f, 3.402823466e38f};
  if (clip.opset() < 11) {
    activation.alpha = clip.float_attribute("min", activation.alpha);
    activation.beta = clip.float_attribute("max", activation.beta);
    return activation;
  }
  for (size_t i : {1, 2}) {
    if (clip.input(i) == kNoValue) continue;
    auto bound = constant_scalar(graph, clip.input(i));
    if (!bound) return std::nullopt;
    (i == 1 ? activation.alpha : activation.beta) = *bound;
  }
  return activation;
}

std::optional<FusedActivation> activation_of(const Graph& graph, const Node& node) {
  if (node.is_op("Relu") || node.is_op("Sigmoid") || node.is_op("Tanh") ||
      node.is_op("HardSwish") || node.is_op("Mish")) {
    return FusedActivation{node.op_type()};
  }
  if (node.is_op("LeakyRelu")) {
    return FusedActivation{"LeakyRelu", node.float_attribute("alpha", 0.01f)};
  }
  if (node.is_op("Clip")) return clip_of(graph, node);
  if (node.is_op("Gelu", kMicrosoftDomain)) return FusedActivation{"Gelu"};
  if (node.is_op("QuickGelu", kMicrosoftDomain) && node.float_attribute("alpha", 1.702f) == 1.0f) {
    return FusedActivation{"Silu"};
  }
  if (node.is_op("Gelu")) {
    return FusedActivation{node.string_attribute("approximate", "none") == "tanh" ? "GeluTanh"
                                                                                  : "Gelu"};
  }
  return std::nullopt;
}

bool fuse_activation(Graph& graph, const Target& target) {
  Node& product = *graph.node(target.id);
  Node* next = graph.only_consumer(product.output(0));
  if (next == nullptr || !product.string_attribute("activation", "").empty()) return false;
  auto activation = activation_of(graph, *next);
  if (!activation || next->input(0) != product.output(0)) return false;
  product.set_attribute(Attribute::of_string("activation", activation->name));
  product.set_attribute(Attribute::of_float("activation_alpha", activation->alpha));
  product.set_attribute(Attribute::of_float("activation_beta", activation->beta));
  absorb(graph, target.id, next->id());
  return true;
}

// P read by Sigmoid and by Mul(P, Sigmoid(P)) alone is Silu.
bool fuse_silu(Graph& graph, const Target& target) {
  Node& product = *graph.node(target.id);
  const ValueId result = product.output(0);
  const Value& value = *graph.value(result);
  if (value.is_output || value.uses.size() != 2 ||
      !product.string_attribute("activation", "").empty()) {
    return false;
  }
  Node* first = graph.node(value.uses[0].node);
  Node* second = graph.node(value.uses[1].node);
  if (value.uses[0].is_implicit || value.uses[1].is_implicit) return false;
  Node* sigmoid = first->is_op("Sigmoid") ? first : second;
  Node* mul = sigmoid == first ? second : first;
  if (!sigmoid->is_op("Sigmoid") || !mul->is_op("Mul") ||
      graph.only_consumer(sigmoid->output(0)) != mul) {
    return false;
  }
  product.set_attribute(Attribute::of_string("activation", "Silu"));
  const NodeId sigmoid_id = sigmoid->id();
  absorb(graph, target.id, mul->id());
  graph.remove_node(sigmoid_id);
  return true;
}

// BiasGelu(P, constant row) is bias and Gelu at once.
Result<bool> fuse_bias_gelu(Graph& graph, const Target& target) {
  Node& product = *graph.node(target.id);
  Node* next = graph.only_consumer(product.output(0));
  if (next == nullptr || target.is_conv || !next->is_op("BiasGelu", kMicrosoftDomain) ||
      next->input(0) != product.output(0) || product.input(target.bias) != kNoValue ||
      product.input(target.residual) != kNoValue ||
      !product.string_attribute("activation", "").empty()) {
    return false;
  }
  const Shape* shape = known_shape(graph, product.output(0));
  const auto channels = channels_of(graph, target);
  const Tensor* bias = graph.value(next->input(1))->constant();
  if (bias == nullptr || shape == nullptr || !channels ||
      !is_channel_constant(*bias, shape->size(), false, *channels)) {
    return false;
  }
  graph.set_input(target.id, target.bias, next->input(1));
  product.set_attribute(Attribute::of_string("activation", "Gelu"));
  absorb(graph, target.id, next->id());
  return true;
}

// A rank 4 convolution that channels-last lowering will take; its epilogue is fused while it is
// still NCHW.
bool is_fusable_conv(const Graph& graph, const Node& node) {
  const Shape* shape = known_shape(graph, node.output(0));
  const Value* weights = graph.value(node.input(1));
  const Value* bias = graph.value(node.input(2));
  return node.is_op("Conv") && is_float32(graph, node.input(0)) && shape != nullptr &&
         shape->size() == 4 && weights != nullptr && weights->constant() != nullptr &&
         (bias == nullptr || bias->constant() != nullptr);
}

std::optional<Target> target_of(const Graph& graph, const Node& node, bool has_conv) {
  if (has_conv && is_fusable_conv(graph, node)) return Target{node.id(), true};
  if (node.is_op("Gemm", kInternalDomain)) return Target{node.id(), false};
  const bool is_conv = node.is_op("QConv", kInternalDomain);
  if ((!is_conv && !node.is_op("QGemm", kInternalDomain)) || !is_float32(graph, node.output(0))) {
    return std::nullopt;
  }
  return Target{node.id(), is_conv, QProductInput::kBiasF32, QProductInput::kResidual};
}

}  // namespace

Result<int> epilogues(Graph& graph, const KernelRegistry& kernels) {
  int matches = 0;
  const bool has_conv = kernels.knows_operator("Conv", kInternalDomain);
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    const auto found = target_of(graph, *node, has_conv);
    if (!found) continue;
    const Target& target = *found;
    for (int round = 0; round < 2; ++round) {
      ASSIGN_OR_RETURN(bool added, fuse_add(graph, target));
      matches += added ? 1 : 0;
    }
    ASSIGN_OR_RETURN(const bool bias_gelu, fuse_bias_gelu(graph, target));
    matches += bias_gelu || fuse_silu(graph, target) || fuse_activation(graph, target) ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
