// SPDX-License-Identifier: MIT
// Products of com.microsoft that do what stands around one, and sums with what follows:
//
//   FusedMatMul, TransposeMatMul   Transpose or Einsum, MatMul, Mul by alpha
//   FusedMatMulActivation          FusedMatMul, activation
//   FusedGemm, FusedConv           Gemm or Conv, + Z, activation
//   GemmFastGelu                   MatMul, FastGelu
//   BiasAdd, BiasSplitGelu         Add, Add;  Add, Split, Gelu, Mul
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kOpsetOfEinsum = 12;  // its first
constexpr TypeMask kFloats =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16);

std::optional<size_t> rank(const Node& node, size_t i) {
  return rank_of(*node.graph(), node.input(i));
}

// --- Activations: of FusedGemm and FusedConv.

struct FusedActivation {
  std::string name;
  float alpha = 0, beta = 0;
};

FusedActivation activation_of(const Node& node) {
  FusedActivation a{std::string(node.string_attribute("activation", ""))};
  const float slope = a.name == "LeakyRelu" ? 0.01f : 0.2f;
  a.alpha = node.float_attribute("activation_alpha", slope);
  a.beta = node.float_attribute("activation_beta", 0.5f);
  if (const Attribute* params = node.attribute("activation_params")) {
    if (!params->floats.empty()) a.alpha = params->floats[0];
    if (params->floats.size() > 1) a.beta = params->floats[1];
  }
  return a;
}

bool is_known(const FusedActivation& a) {
  for (const std::string_view name :
       {"", "Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"}) {
    if (a.name == name) return true;
  }
  return false;
}

void give_activated(Spelling& s, const FusedActivation& a, ValueId x) {
  if (a.name.empty()) return s.give("Identity", {x});
  if (a.name == "Clip") {
    return s.give("Clip",
                  {x, s.constant(Tensor::scalar(a.alpha)), s.constant(Tensor::scalar(a.beta))});
  }
  std::vector<Attribute> attributes;
  if (a.name == "LeakyRelu" || a.name == "HardSigmoid") {
    attributes.push_back(Attribute::of_float("alpha", a.alpha));
  }
  if (a.name == "HardSigmoid") attributes.push_back(Attribute::of_float("beta", a.beta));
  s.give(a.name, {x}, std::move(attributes));
}

// --- Products.

bool turns(const Node& node, std::string_view side) {
  return node.int_attribute(str_cat("trans", side), 0) != 0 ||
         node.int_attribute(str_cat("transBatch", side), 0) != 0;
}

bool takes_fused_matmul(const Node& node) {
  const int64_t opset = node.graph()->opset("");
  const auto fits = [&](size_t i, std::string_view side) {
    if (!turns(node, side)) return true;
    const auto known = rank(node, i);
    if (!known) return opset == 0 || opset >= kOpsetOfEinsum;
    return *known >= 2 || (*known == 1 && node.int_attribute(str_cat("transBatch", side), 0) == 0);
  };
  return has_type(node, 0, kFloats) && fits(0, "A") && fits(1, "B");
}

// The order of an operand's dims before it is multiplied.
std::vector<int64_t> order_of(int64_t rank, bool turns_batch, bool turns_matrix) {
  std::vector<int64_t> order;
  for (int64_t d = turns_batch ? 1 : 0; d < rank - 1; ++d) order.push_back(d);
  if (turns_batch) order.push_back(0);
  order.push_back(rank - 1);
  if (turns_matrix) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}

// An operand turned: by Transpose, or by Einsum where its rank is known in a run only. A vector has
// nothing to turn.
ValueId turned_operand(Spelling& s, ValueId x, bool turns_batch, bool turns_matrix) {
  Type type = s.type(x);
  if (!type.shape.has_value()) {
    std::string equation = turns_batch ? "a...b->...ab" : "...ab->...ab";
    if (turns_matrix) std::swap(equation[equation.size() - 1], equation[equation.size() - 2]);
    return s.add("Einsum", {x}, type, {Attribute::of_string("equation", equation)});
  }
  const Shape before = *type.shape;
  if (before.size() < 2) return x;
  const auto order = order_of(static_cast<int64_t>(before.size()), turns_batch, turns_matrix);
  for (size_t d = 0; d < before.size(); ++d) {
    (*type.shape)[d] = before[static_cast<size_t>(order[d])];
  }
  return s.add("Transpose", {x}, type, {Attribute::of_ints("perm", order)});
}

Result<bool> spell_fused_matmul(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const float alpha = node.float_attribute("alpha", 1);
  bool batch[2], matrix[2];
  for (size_t i = 0; i < 2; ++i) {
    const std::string_view side = i == 0 ? "A" : "B";
    batch[i] = node.int_attribute(str_cat("transBatch", side), 0) != 0;
    matrix[i] = node.int_attribute(str_cat("trans", side), 0) != 0;
  }
  Spelling s(graph, id);
  ValueId operands[2];
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = s.input(i);
    operands[i] = batch[i] || matrix[i] ? turned_operand(s, x, batch[i], matrix[i]) : x;
  }
  if (alpha == 1) {
    s.give("MatMul", {operands[0], operands[1]});
    return s.done();
  }
  const DType dtype = s.output_type().dtype;
  const ValueId product = s.add("MatMul", {operands[0], operands[1]}, s.output_type());
  ValueId factor = s.constant(Tensor::scalar(alpha));
  if (dtype != DType::kFloat32) {
    factor = s.add("Cast", {factor}, Type::tensor(dtype, Shape{}),
                   {Attribute::of_int("to", static_cast<int64_t>(dtype))});
  }
  s.give("Mul", {product, factor});
  return s.done();
}

bool takes_fused_product(const Node& node) {
  return takes_fused_matmul(node) && is_known(activation_of(node)) &&
         activation_of(node).name != "Clip";
}
// FusedMatMul is spelled out in its turn.
Result<bool> spell_fused_product(Graph& graph, NodeId id) {
  const FusedActivation activation = activation_of(*graph.node(id));
  auto attributes =
      attributes_named(*graph.node(id), "alpha transA transB transBatchA transBatchB");
  Spelling s(graph, id);
  const ValueId y = s.add("FusedMatMul", {s.input(0), s.input(1)}, s.output_type(),
                          std::move(attributes), std::string(kMicrosoftDomain));
  give_activated(s, activation, y);
  return s.done();
}

bool takes_fused_gemm(const Node& node) {
  return has_type(node, 0, kFloats) && is_known(activation_of(node)) &&
         activation_of(node).name != "Clip";
}
Result<bool> spell_fused_gemm(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const FusedActivation activation = activation_of(node);
  auto attributes = attributes_named(node, "alpha beta transA transB");
  Spelling s(graph, id);
  const ValueId y =
      s.add("Gemm", {s.input(0), s.input(1), s.input(2)}, s.output_type(), std::move(attributes));
  give_activated(s, activation, y);
  return s.done();
}

bool takes_fused_conv(const Node& node) {
  return has_type(node, 0, mask_of(DType::kFloat32)) && is_known(activation_of(node));
}
Result<bool> spell_fused_conv(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const FusedActivation activation = activation_of(node);
  auto attributes = attributes_named(node, "auto_pad dilations group kernel_shape pads strides");
  Spelling s(graph, id);
  ValueId y =
      s.add("Conv", {s.input(0), s.input(1), s.input(2)}, s.output_type(), std::move(attributes));
  if (s.input(3) != kNoValue) y = s.add("Add", {y, s.input(3)}, s.output_type());
  give_activated(s, activation, y);
  return s.done();
}

bool takes_gemm_fast_gelu(const Node& node) { return has_type(node, 0, kFloats); }
Result<bool> spell_gemm_fast_gelu(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId y = s.add("MatMul", {s.input(0), s.input(1)}, s.output_type());
  s.give("FastGelu", {y, s.input(2)}, {}, std::string(kMicrosoftDomain));
  return s.done();
}

// --- Sums.

bool takes_bias_add(const Node& node) { return has_type(node, 0, kFloats); }
Result<bool> spell_bias_add(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId sum = s.add("Add", {s.input(0), s.input(1)}, s.output_type());
  s.give("Add", {sum, s.input(2)});
  return s.done();
}

bool takes_bias_split_gelu(const Node& node) {
  return has_type(node, 0, kFloats) && rank(node, 0).has_value() && *rank(node, 0) > 0;
}
Result<bool> spell_bias_split_gelu(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const Type x = s.type(s.input(0)), half = s.output_type();
  const ValueId sum = s.add("Add", {s.input(0), s.input(1)}, x);
  const ValueId left = s.value(half), right = s.value(half);
  s.place("Split", "", {sum}, {left, right}, {Attribute::of_int("axis", -1)});
  const ValueId gate = s.add("Gelu", {right}, half, {}, std::string(kMicrosoftDomain));
  s.give("Mul", {left, gate});
  return s.done();
}

constexpr Spelled kSpelled[] = {
    {"BiasAdd", takes_bias_add, spell_bias_add},
    {"BiasSplitGelu", takes_bias_split_gelu, spell_bias_split_gelu},
    {"FusedConv", takes_fused_conv, spell_fused_conv},
    {"FusedGemm", takes_fused_gemm, spell_fused_gemm},
    {"FusedMatMul", takes_fused_matmul, spell_fused_matmul},
    {"FusedMatMulActivation", takes_fused_product, spell_fused_product},
    {"GemmFastGelu", takes_gemm_fast_gelu, spell_gemm_fast_gelu},
    {"TransposeMatMul", takes_fused_matmul, spell_fused_matmul},
};

}  // namespace

std::span<const Spelled> fused_spellings() { return kSpelled; }

}  // namespace ortc::cpu
