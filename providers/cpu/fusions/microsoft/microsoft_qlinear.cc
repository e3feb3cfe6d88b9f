// SPDX-License-Identifier: MIT
// QLinear operators of com.microsoft, and QGemm: DequantizeLinear, the operator, QuantizeLinear.
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);

std::optional<size_t> rank(const Node& node, size_t i) {
  return rank_of(*node.graph(), node.input(i));
}

// Scale and zero point stand behind each tensor.

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

constexpr Spelled kSpelled[] = {
    {"QGemm", takes_q_gemm, spell_q_gemm},
    {"QLinearAveragePool", takes_q_average_pool, spell_q_average_pool},
    {"QLinearConcat", takes_q_concat, spell_q_concat},
    {"QLinearLeakyRelu", takes_quantised, spell_q_leaky_relu},
    {"QLinearSigmoid", takes_quantised, spell_q_sigmoid},
    {"QLinearSoftmax", takes_q_softmax, spell_q_softmax},
    {"QLinearWhere", takes_q_where, spell_q_where},
};

}  // namespace

std::span<const Spelled> qlinear_spellings() { return kSpelled; }

}  // namespace ortc::cpu
