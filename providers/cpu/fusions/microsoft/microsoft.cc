// SPDX-License-Identifier: MIT
// Operators of com.microsoft that are other operators in a row: spelled out, so that the rewrites
// that follow see what they know.
//
//   FusedMatMul, TransposeMatMul   Transpose or Einsum, MatMul, Mul by alpha
//   FusedGemm, FusedConv           Gemm or Conv, + Z, activation
//   GemmFastGelu                   MatMul, FastGelu
//   BiasAdd, BiasSplitGelu         Add, Add;  Add, Split, Gelu, Mul
//   QLinear..., QGemm              DequantizeLinear, the operator, QuantizeLinear
//
// More of them: microsoft_plain.cc, microsoft_layouts.cc, microsoft_heads.cc,
// microsoft_experts.cc, microsoft_quantised.cc, microsoft_search.cc,
// microsoft_ordered.cc, microsoft_recurrent.cc.
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kOpsetOfNone = 18;    // ONNX's, in models that import none
constexpr int64_t kOpsetOfEinsum = 12;  // its first
constexpr TypeMask kFloats =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16);
constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);

bool has_type(const Node& node, size_t i, TypeMask types) {
  return (mask_of(dtype_of(*node.graph(), node.input(i))) & types) != 0;
}
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

// --- Quantised operators. Scale and zero point stand behind each tensor.

ValueId dequantised(Spelling& s, ValueId x, ValueId scale, ValueId zero,
                    std::vector<Attribute> attributes = {}) {
  Type type = s.type(x);
  type.dtype = DType::kFloat32;
  return s.add("DequantizeLinear", {x, scale, zero}, std::move(type), std::move(attributes));
}
Type floats_like(Type type) {
  type.dtype = DType::kFloat32;
  return type;
}

// One tensor in, one out: f's name and attributes, and what else it reads.
using Middle = ValueId (*)(Spelling& s, ValueId x, std::vector<Attribute> attributes);

Result<bool> spell_quantised(Graph& graph, NodeId id, std::string_view attribute_names, Middle f) {
  auto attributes = attributes_named(*graph.node(id), attribute_names);
  Spelling s(graph, id);
  const ValueId x = dequantised(s, s.input(0), s.input(1), s.input(2));
  const ValueId y = f(s, x, std::move(attributes));
  s.give("QuantizeLinear", {y, s.input(3), s.input(4)});
  return s.done();
}

// Without a zero point QuantizeLinear would give uint8.
bool takes_quantised(const Node& node) {
  const bool has_zero = node.input(4) != kNoValue;
  return has_type(node, 0, kBytes) && (has_zero || has_type(node, 0, mask_of(DType::kUint8)));
}

Result<bool> spell_q_sigmoid(Graph& graph, NodeId id) {
  return spell_quantised(graph, id, "", [](Spelling& s, ValueId x, std::vector<Attribute>) {
    return s.add("Sigmoid", {x}, s.type(x));
  });
}
Result<bool> spell_q_leaky_relu(Graph& graph, NodeId id) {
  return spell_quantised(graph, id, "alpha",
                         [](Spelling& s, ValueId x, std::vector<Attribute> attributes) {
                           return s.add("LeakyRelu", {x}, s.type(x), std::move(attributes));
                         });
}

// Before opset 13 Softmax takes all dims from the axis on together: the same over the last one.
bool takes_q_softmax(const Node& node) {
  const int64_t axis = node.int_attribute("axis", -1);
  const bool is_last =
      axis == -1 || (rank(node, 0) && axis == static_cast<int64_t>(*rank(node, 0)) - 1);
  const int64_t opset = node.graph()->opset("");
  const bool takes_one = node.int_attribute("opset", 0) >= 13 && (opset == 0 || opset >= 13);
  return takes_quantised(node) && (is_last || takes_one);
}
Result<bool> spell_q_softmax(Graph& graph, NodeId id) {
  // Before opset 13 the default of Softmax is another axis.
  return spell_quantised(graph, id, "axis",
                         [](Spelling& s, ValueId x, std::vector<Attribute> attributes) {
                           if (attributes.empty()) {
                             attributes.push_back(Attribute::of_int("axis", -1));
                           }
                           return s.add("Softmax", {x}, s.type(x), std::move(attributes));
                         });
}

// What a window counts that rounding up lets hang over the padding, versions see differently.
bool takes_q_average_pool(const Node& node) {
  const bool hangs_over =
      node.int_attribute("ceil_mode", 0) != 0 && node.int_attribute("count_include_pad", 0) != 0;
  const bool is_last = node.int_attribute("channels_last", 0) != 0;
  return takes_quantised(node) && (!is_last || rank(node, 0).value_or(0) >= 3) && !hangs_over;
}
// A Transpose that moves axis 1 to the end, or the last axis to place 1.
ValueId with_channels(Spelling& s, ValueId x, size_t rank, bool to_end) {
  std::vector<int64_t> order = {0};
  for (size_t d = 1; d < rank; ++d) {
    const size_t after = d + 1 < rank ? d + 1 : 1, before = d > 1 ? d - 1 : rank - 1;
    order.push_back(static_cast<int64_t>(to_end ? after : before));
  }
  return s.add("Transpose", {x}, Type::tensor(s.type(x).dtype),
               {Attribute::of_ints("perm", std::move(order))});
}

Result<bool> spell_q_average_pool(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const bool is_last = node.int_attribute("channels_last", 0) != 0;
  const size_t dims = rank(node, 0).value_or(0);
  auto attributes =
      attributes_named(node, "auto_pad ceil_mode count_include_pad kernel_shape pads strides");
  Spelling s(graph, id);
  ValueId x = dequantised(s, s.input(0), s.input(1), s.input(2));
  if (is_last) x = with_channels(s, x, dims, false);
  const Type floats = is_last ? Type::tensor(DType::kFloat32) : floats_like(s.output_type());
  ValueId y = s.add("AveragePool", {x}, floats, std::move(attributes));
  if (is_last) y = with_channels(s, y, dims, true);
  s.give("QuantizeLinear", {y, s.input(3), s.input(4)});
  return s.done();
}

// Y_scale, Y_zero_point, then X, scale and zero point of each part.
bool takes_q_concat(const Node& node) {
  bool fits = node.inputs().size() >= 5 && (node.inputs().size() - 2) % 3 == 0;
  for (size_t i = 2; fits && i < node.inputs().size(); i += 3) fits = has_type(node, i, kBytes);
  return fits;
}
Result<bool> spell_q_concat(Graph& graph, NodeId id) {
  const size_t count = graph.node(id)->inputs().size();
  auto attributes = attributes_named(*graph.node(id), "axis");
  Spelling s(graph, id);
  std::vector<ValueId> parts;
  for (size_t i = 2; i < count; i += 3) {
    parts.push_back(dequantised(s, s.input(i), s.input(i + 1), s.input(i + 2)));
  }
  const ValueId all = s.add("Concat", parts, floats_like(s.output_type()), std::move(attributes));
  s.give("QuantizeLinear", {all, s.input(0), s.input(1)});
  return s.done();
}

bool takes_q_where(const Node& node) {
  return has_type(node, 1, kBytes) && has_type(node, 4, kBytes);
}
Result<bool> spell_q_where(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId x = dequantised(s, s.input(1), s.input(2), s.input(3));
  const ValueId y = dequantised(s, s.input(4), s.input(5), s.input(6));
  const ValueId chosen = s.add("Where", {s.input(0), x, y}, floats_like(s.output_type()));
  s.give("QuantizeLinear", {chosen, s.input(7), s.input(8)});
  return s.done();
}

// A, its scale and zero point, the same of B, then a bias in units of both scales, and scale and
// zero point of the result, which is float without them.
enum QGemmInput : size_t { kA, kAScale, kAZero, kB, kBScale, kBZero, kC, kYScale, kYZero };

// Float results have no zero point; quantised ones say by theirs what they are.
bool takes_q_gemm(const Node& node) {
  const bool is_float = node.input(kYScale) == kNoValue && node.input(kYZero) == kNoValue;
  const bool is_quantised = node.input(kYScale) != kNoValue && node.input(kYZero) != kNoValue;
  return has_type(node, kA, kBytes) && has_type(node, kB, kBytes) && (is_float || is_quantised);
}
// A constant vector C as integers behind a dequantisation; kNoValue where it is something else.
ValueId q_gemm_bias(Spelling& s) {
  const ValueId c = s.input(kC);
  const Tensor* bias = constant_of(s.graph(), c);
  const Tensor* a_scale = constant_of(s.graph(), s.input(kAScale));
  const Tensor* b_scale = constant_of(s.graph(), s.input(kBScale));
  const auto is_float = [](const Tensor* t) {
    return t != nullptr && t->dtype() == DType::kFloat32;
  };
  if (bias == nullptr || bias->dtype() != DType::kInt32 || bias->dims().size() != 1 ||
      !is_float(a_scale) || !is_float(b_scale) || a_scale->element_count() != 1 ||
      (b_scale->element_count() != 1 && b_scale->element_count() != bias->element_count())) {
    return kNoValue;
  }
  std::vector<float> scales;
  for (const float scale : b_scale->elements<float>()) {
    scales.push_back(a_scale->elements<float>()[0] * scale);
  }
  const ValueId scale = s.constant(
      scales.size() == 1 ? Tensor::scalar(scales[0])
                         : Tensor::from<float>({static_cast<int64_t>(scales.size())}, scales));
  return s.add("DequantizeLinear", {c, scale}, floats_like(s.type(c)),
               {Attribute::of_int("axis", 0)});
}
Result<bool> spell_q_gemm(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const float alpha = node.float_attribute("alpha", 1);
  auto attributes = attributes_named(node, "alpha transA transB");
  attributes.push_back(Attribute::of_float("beta", alpha));
  const int64_t columns = node.int_attribute("transB", 0) != 0 ? 0 : 1;
  Spelling s(graph, id);
  const ValueId a = dequantised(s, s.input(kA), s.input(kAScale), s.input(kAZero));
  const ValueId b = dequantised(s, s.input(kB), s.input(kBScale), s.input(kBZero),
                                {Attribute::of_int("axis", columns)});
  ValueId c = s.input(kC);
  if (const ValueId constant = q_gemm_bias(s); constant != kNoValue) {
    c = constant;
  } else if (c != kNoValue) {
    const Type floats = floats_like(s.type(c));
    const auto to = Attribute::of_int("to", static_cast<int64_t>(DType::kFloat32));
    const ValueId unit =
        s.add("Mul", {s.input(kAScale), s.input(kBScale)}, Type::tensor(DType::kFloat32));
    c = s.add("Mul", {s.add("Cast", {c}, floats, {to}), unit}, Type::tensor(DType::kFloat32));
  }
  if (s.input(kYScale) == kNoValue) {
    s.give("Gemm", {a, b, c}, std::move(attributes));
  } else {
    const ValueId y = s.add("Gemm", {a, b, c}, floats_like(s.output_type()), std::move(attributes));
    s.give("QuantizeLinear", {y, s.input(kYScale), s.input(kYZero)});
  }
  return s.done();
}

// --- The list.

constexpr Spelled kSpelled[] = {
    {"BiasAdd", takes_bias_add, spell_bias_add},
    {"BiasSplitGelu", takes_bias_split_gelu, spell_bias_split_gelu},
    {"FusedConv", takes_fused_conv, spell_fused_conv},
    {"FusedGemm", takes_fused_gemm, spell_fused_gemm},
    {"FusedMatMul", takes_fused_matmul, spell_fused_matmul},
    {"FusedMatMulActivation", takes_fused_product, spell_fused_product},
    {"GemmFastGelu", takes_gemm_fast_gelu, spell_gemm_fast_gelu},
    {"QGemm", takes_q_gemm, spell_q_gemm},
    {"QLinearAveragePool", takes_q_average_pool, spell_q_average_pool},
    {"QLinearConcat", takes_q_concat, spell_q_concat},
    {"QLinearLeakyRelu", takes_quantised, spell_q_leaky_relu},
    {"QLinearSigmoid", takes_quantised, spell_q_sigmoid},
    {"QLinearSoftmax", takes_q_softmax, spell_q_softmax},
    {"QLinearWhere", takes_q_where, spell_q_where},
    {"TransposeMatMul", takes_fused_matmul, spell_fused_matmul},
};

const Spelled* spelled(const Node& node) {
  if (node.domain() != kMicrosoftDomain || node.custom() != nullptr) return nullptr;
  const int64_t opset = node.graph()->opset("");
  for (const std::span<const Spelled> rows :
       {std::span<const Spelled>(kSpelled), plain_spellings(), layout_spellings(),
        quantised_spellings(), head_spellings(), expert_spellings(), search_spellings(),
        ordered_spellings(), recurrent_spellings(), attn_lstm_spellings()}) {
    for (const Spelled& row : rows) {
      if (node.op_type() != row.op) continue;
      const bool is_new_enough = !row.has_bodies || opset == 0 || opset >= row.first_opset;
      return is_new_enough && row.takes(node) ? &row : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Attribute> attributes_named(const Node& node, std::string_view names) {
  std::vector<Attribute> found;
  for (const Attribute& attribute : node.attributes()) {
    const std::string padded = str_cat(" ", names, " ");
    if (padded.find(str_cat(" ", attribute.name, " ")) != std::string::npos) {
      found.push_back(attribute);
    }
  }
  return found;
}

bool is_spelled_out(const Node& node) {
  return spelled(node) != nullptr;
}

// Twice: NhwcFusedConv becomes FusedConv first, FusedMatMulActivation FusedMatMul.
Result<int> microsoft(Graph& graph, const KernelRegistry&) {
  int total = 0;
  for (int round = 0; round < 2; ++round) {
    ASSIGN_OR_RETURN(const int rewrites, for_nodes(graph, [&graph](Node& node) -> Result<bool> {
                       const Spelled* row = spelled(node);
                       if (row == nullptr) return false;
                       import_domain(graph, "", kOpsetOfNone);
                       const size_t bound = graph.node_bound();
                       ASSIGN_OR_RETURN(const bool done, row->spell(graph, node.id()));
                       read_with(graph, bound, row->first_opset);
                       return done;
                     }));
    total += rewrites;
    if (rewrites == 0) break;
  }
  return total;
}

}  // namespace ortc::cpu
