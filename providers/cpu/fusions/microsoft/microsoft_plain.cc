// SPDX-License-Identifier: MIT
// Operators of com.microsoft that ONNX has under another form, or that are a few of ONNX's in a
// row, element by element:
//
//   SampleOp, Trilu, GatherND, GridSample, Unique, ExpandDims, Range, Pad, TorchEmbedding
//   MulInteger, MatMulInteger16, ReduceSumInteger       the same over 32-bit integers
//   ComplexMul, ComplexMulConj                          over real and imaginary parts
//   GatedAdd, GatedRMSNorm, LinearAttentionGate, GemmaRotaryEmbedding
//   BiasSoftmax, BiasDropout, BitmaskDropout, BitmaskBiasDropout
//   IsAllFinite                                         how many are not, of all inputs
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

bool takes_any(const Node&) { return true; }

// The operator of ONNX's with the same name, inputs, outputs and attributes.
Result<bool> spell_same(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const std::string op = node.op_type();
  auto attributes = node.attributes();
  Spelling s(graph, id);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < s.input_count(); ++i) inputs.push_back(s.input(i));
  s.give(op, std::move(inputs), std::move(attributes));
  return s.done();
}

Result<bool> spell_identity(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  s.give("Identity", {s.input(0)});
  return s.done();
}

Result<bool> spell_gather_nd(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  s.give("GatherND", {s.input(0), cast_to(s, s.input(1), DType::kInt64)});
  return s.done();
}

// Since opset 20 modes are named after one dimension.
Result<bool> spell_grid_sample(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  auto attributes = attributes_named(node, "align_corners padding_mode");
  std::string mode(node.string_attribute("mode", "bilinear"));
  if (graph.opset("") >= 20) {
    if (mode == "bilinear") mode = "linear";
    if (mode == "bicubic") mode = "cubic";
  }
  attributes.push_back(Attribute::of_string("mode", mode));
  Spelling s(graph, id);
  s.give("GridSample", {s.input(0), s.input(1)}, std::move(attributes));
  return s.done();
}

// In the order in which the values stand; which of them each element is.
Result<bool> spell_unique(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  s.place("Unique", "", {s.input(0)}, {s.output(0), kNoValue, s.output(1), s.output(2)},
          {Attribute::of_int("sorted", 0)});
  return s.done();
}

Result<bool> spell_expand_dims(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId axis = cast_to(s, s.input(1), DType::kInt64);
  const ValueId axes = s.add("Reshape", {axis, int64_constant(s, {1})},
                             Type::tensor(DType::kInt64, Shape{Dim::known(1)}));
  s.give("Unsqueeze", {s.input(0), axes});
  return s.done();
}

Result<bool> spell_range(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const DType dtype = s.type(s.input(0)).dtype;
  const ValueId delta = s.input(2) != kNoValue
                            ? as_scalar(s, s.input(2))
                            : cast_to(s, s.constant(Tensor::scalar(int64_t{1})), dtype);
  s.give("Range", {as_scalar(s, s.input(0)), as_scalar(s, s.input(1)), delta});
  return s.done();
}

Result<bool> spell_pad(Graph& graph, NodeId id) {
  auto attributes = attributes_named(*graph.node(id), "mode");
  Spelling s(graph, id);
  const ValueId pads =
      s.add("Reshape", {s.input(1), int64_constant(s, {-1})}, elements_of(DType::kInt64));
  const ValueId value = s.input(2) != kNoValue ? as_scalar(s, s.input(2)) : kNoValue;
  s.give("Pad", {s.input(0), pads, value}, std::move(attributes));
  return s.done();
}

// What padding_idx and scale_grad_by_freq say concerns training.
Result<bool> spell_torch_embedding(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  s.give("Gather", {s.input(0), s.input(1)}, {Attribute::of_int("axis", 0)});
  return s.done();
}

// --- Integers.

ValueId centred(Spelling& s, ValueId x, ValueId zero) {
  const ValueId wide = cast_to(s, x, DType::kInt32);
  if (zero == kNoValue) return wide;
  return s.add("Sub", {wide, cast_to(s, as_scalar(s, zero), DType::kInt32)}, s.type(wide));
}

Result<bool> spell_mul_integer(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId a = centred(s, s.input(0), s.input(1));
  s.give("Mul", {a, centred(s, s.input(2), s.input(3))});
  return s.done();
}

Result<bool> spell_matmul_integer16(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const DType dtype = s.output_type().dtype;
  const ValueId a = cast_to(s, s.input(0), dtype);
  s.give("MatMul", {a, cast_to(s, s.input(1), dtype)});
  return s.done();
}

// The sum over axes as input 1, or as an attribute where ONNX has it there.
void give_sum(Spelling& s, ValueId x, const std::vector<int64_t>& axes, int64_t keeps) {
  std::vector<Attribute> attributes = {Attribute::of_int("keepdims", keeps)};
  if (s.graph().opset("") >= 13) {
    return s.give("ReduceSum", {x, int64_constant(s, axes)}, std::move(attributes));
  }
  attributes.push_back(Attribute::of_ints("axes", axes));
  s.give("ReduceSum", {x}, std::move(attributes));
}

bool takes_sum_integer(const Node& node) { return !node.ints_attribute("axes").empty(); }
Result<bool> spell_sum_integer(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const auto axes = node.ints_attribute("axes");
  const int64_t keeps = node.int_attribute("keepdims", 1);
  Spelling s(graph, id);
  give_sum(s, cast_to(s, s.input(0), s.output_type().dtype), axes, keeps);
  return s.done();
}

// --- Complex numbers, of which the last axis has the two parts.

ValueId part_of(Spelling& s, ValueId x, int64_t part) {
  return s.add(
      "Slice",
      {x, int64_constant(s, {part}), int64_constant(s, {part + 1}), int64_constant(s, {-1})},
      elements_of(s.type(x).dtype));
}

Result<bool> spell_complex_product(Graph& graph, NodeId id, bool turns_sign) {
  Spelling s(graph, id);
  const Type number = elements_of(s.output_type().dtype);
  const auto product = [&](int64_t a, int64_t b) {
    return s.add("Mul", {part_of(s, s.input(0), a), part_of(s, s.input(1), b)}, number);
  };
  const ValueId real = s.add(turns_sign ? "Add" : "Sub", {product(0, 0), product(1, 1)}, number);
  const ValueId imaginary =
      s.add(turns_sign ? "Sub" : "Add", {product(1, 0), product(0, 1)}, number);
  s.give("Concat", {real, imaginary}, {Attribute::of_int("axis", -1)});
  return s.done();
}
Result<bool> spell_complex_mul(Graph& graph, NodeId id) {
  return spell_complex_product(graph, id, false);
}
Result<bool> spell_complex_mul_conj(Graph& graph, NodeId id) {
  return spell_complex_product(graph, id, true);
}

// --- Gates: float32 inside, where the operators' texts say so.

Result<bool> spell_gated_add(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  s.give("Add", {s.input(0), s.add("Mul", {s.input(1), s.input(2)}, s.output_type())});
  return s.done();
}

bool takes_gated_norm(const Node& node) {
  const auto scale = dims_of(*node.graph(), node.input(1));
  return scale && scale->size() == 1 && (*scale)[0] > 0;
}
Result<bool> spell_gated_norm(Graph& graph, NodeId id) {
  const int64_t size = (*dims_of(graph, graph.node(id)->input(1)))[0];
  const float epsilon = graph.node(id)->float_attribute("epsilon", 1e-5f);
  Spelling s(graph, id);
  const DType dtype = s.output_type().dtype;
  const Type floats = elements_of(DType::kFloat32);
  const ValueId x = cast_to(s, s.input(0), DType::kFloat32);
  const ValueId rows = s.add("Reshape", {x, int64_constant(s, {-1, size})}, floats);
  const ValueId squares = s.add("Mul", {rows, rows}, floats);
  const std::vector<Attribute> last = {Attribute::of_ints("axes", {-1})};
  const ValueId mean = s.graph().opset("") >= 18
                           ? s.add("ReduceMean", {squares, int64_constant(s, {-1})}, floats)
                           : s.add("ReduceMean", {squares}, floats, last);
  const ValueId root =
      s.add("Sqrt", {s.add("Add", {mean, s.constant(Tensor::scalar(epsilon))}, floats)}, floats);
  const ValueId normal = s.add("Div", {rows, root}, floats);
  const ValueId scaled = s.add("Mul", {normal, cast_to(s, s.input(1), DType::kFloat32)}, floats);
  const ValueId whole =
      s.add("Reshape", {scaled, s.add("Shape", {x}, elements_of(DType::kInt64))}, s.type(x));
  const ValueId gate = cast_to(s, s.input(2), DType::kFloat32);
  const ValueId silu = s.add("Mul", {gate, s.add("Sigmoid", {gate}, s.type(gate))}, s.type(gate));
  const ValueId y = s.add("Mul", {whole, silu}, s.type(x));
  s.give("Cast", {y}, {Attribute::of_int("to", static_cast<int64_t>(dtype))});
  return s.done();
}

Result<bool> spell_attention_gate(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const auto to = Attribute::of_int("to", static_cast<int64_t>(s.output_type().dtype));
  const ValueId a = cast_to(s, s.input(0), DType::kFloat32);
  const ValueId sum = s.add("Add", {a, s.input(1)}, s.type(a));
  const ValueId soft = s.add("Softplus", {sum}, s.type(a));
  s.give("Cast", {s.add("Mul", {soft, s.input(2)}, s.type(a))}, {to});
  if (s.output(1) != kNoValue) {
    const ValueId b = cast_to(s, s.input(3), DType::kFloat32);
    s.place("Cast", "", {s.add("Sigmoid", {b}, s.type(b))}, {s.output(1)}, {to});
  }
  return s.done();
}
bool takes_attention_gate(const Node& node) {
  return node.output(1) == kNoValue || node.input(3) != kNoValue;
}

Result<bool> spell_gemma_rotary(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const Type half = s.output_type();
  const auto angle = [&](const char* f) {
    const ValueId values = s.add(f, {s.input(0)}, s.type(s.input(0)));
    return s.add("Unsqueeze", {cast_to(s, values, half.dtype), int64_constant(s, {1})},
                 elements_of(half.dtype));
  };
  const ValueId cos = angle("Cos"), sin = angle("Sin");
  for (size_t i = 0; i < 2; ++i) {
    if (s.output(i) == kNoValue) continue;
    const ValueId straight = s.add("Mul", {s.input(1 + 2 * i), cos}, half);
    s.place("Add", "", {straight, s.add("Mul", {s.input(2 + 2 * i), sin}, half)}, {s.output(i)});
  }
  return s.done();
}

// --- Softmax and Dropout.

// Over all dims from the axis on together.
bool takes_bias_softmax(const Node& node) {
  const auto rank = static_cast<int64_t>(rank_of(*node.graph(), node.input(0)).value_or(0));
  const int64_t axis = node.int_attribute("axis", 1);
  return axis >= -rank && axis < rank;
}
Result<bool> spell_bias_softmax(Graph& graph, NodeId id) {
  const auto rank = static_cast<int64_t>(*rank_of(graph, graph.node(id)->input(0)));
  int64_t axis = graph.node(id)->int_attribute("axis", 1);
  axis += axis < 0 ? rank : 0;
  Spelling s(graph, id);
  const Type x = s.type(s.input(0));
  const ValueId sum = s.add("Add", {s.input(0), s.input(1)}, x);
  const std::vector<Attribute> last = {Attribute::of_int("axis", -1)};
  if (axis == rank - 1) {
    s.give("Softmax", {sum}, last);
    return s.done();
  }
  std::vector<int64_t> flat(static_cast<size_t>(axis), 0);
  flat.push_back(-1);
  const ValueId rows = s.add("Reshape", {sum, int64_constant(s, flat)}, elements_of(x.dtype));
  const ValueId y = s.add("Softmax", {rows}, elements_of(x.dtype), last);
  s.give("Reshape", {y, s.add("Shape", {sum}, elements_of(DType::kInt64))});
  return s.done();
}

// Bit i of word w is element 32 w + i; bits behind the last element are 0.
void give_bits(Spelling& s, ValueId mask, ValueId output) {
  const Type words = elements_of(DType::kUint32), counts = elements_of(DType::kInt64);
  const auto number = [&](int64_t value) { return int64_constant(s, {value}); };
  const ValueId flat = s.add("Reshape", {cast_to(s, mask, DType::kUint32), number(-1)}, words);
  Tensor none = Tensor::from<uint32_t>({31}, std::vector<uint32_t>(31));
  const ValueId padded =
      s.add("Concat", {flat, s.constant(std::move(none))}, words, {Attribute::of_int("axis", 0)});
  const ValueId size = s.add("Shape", {padded}, counts);
  const ValueId whole = s.add("Div", {size, number(32)}, counts);
  const ValueId end = s.add("Mul", {whole, number(32)}, counts);
  const ValueId kept = s.add("Slice", {padded, number(0), end, number(0)}, words);
  const ValueId rows = s.add("Reshape", {kept, int64_constant(s, {-1, 32})}, words);
  std::vector<uint32_t> powers;
  for (uint32_t i = 0; i < 32; ++i) powers.push_back(uint32_t{1} << i);
  const ValueId bits =
      s.add("Mul", {rows, s.constant(Tensor::from<uint32_t>({32}, powers))}, words);
  std::vector<Attribute> drops = {Attribute::of_int("keepdims", 0)};
  s.place("ReduceSum", "", {bits, number(1)}, {output}, std::move(drops));
}

// data, then bias and residual for the first kind, ratio, training_mode.
Result<bool> spell_dropout(Graph& graph, NodeId id, bool has_bias, bool packs_bits) {
  auto attributes = attributes_named(*graph.node(id), "seed");
  Spelling s(graph, id);
  const Type x = s.output_type();
  const ValueId residual = has_bias ? s.input(2) : kNoValue;
  const size_t rest = has_bias ? 3 : 1;
  const ValueId sum = has_bias ? s.add("Add", {s.input(0), s.input(1)}, x) : s.input(0);
  Type flags = x;
  flags.dtype = DType::kBool;
  const bool wants_mask = s.output(1) != kNoValue;
  const ValueId kept = residual != kNoValue ? s.value(x) : s.output(0);
  const ValueId mask = !wants_mask ? kNoValue : packs_bits ? s.value(flags) : s.output(1);
  std::vector<ValueId> outputs = {kept};
  if (wants_mask) outputs.push_back(mask);
  s.place("Dropout", "", {sum, s.input(rest), s.input(rest + 1)}, std::move(outputs),
          std::move(attributes));
  if (residual != kNoValue) s.give("Add", {kept, residual});
  if (wants_mask && packs_bits) give_bits(s, mask, s.output(1));
  return s.done();
}
Result<bool> spell_bias_dropout(Graph& graph, NodeId id) {
  return spell_dropout(graph, id, true, false);
}
Result<bool> spell_bitmask_dropout(Graph& graph, NodeId id) {
  return spell_dropout(graph, id, false, true);
}
Result<bool> spell_bitmask_bias_dropout(Graph& graph, NodeId id) {
  return spell_dropout(graph, id, true, true);
}

bool takes_all_finite(const Node& node) {
  return node.int_attribute("isinf_only", 0) == 0 || node.int_attribute("isnan_only", 0) == 0;
}
Result<bool> spell_all_finite(Graph& graph, NodeId id) {
  const bool sees_nan = graph.node(id)->int_attribute("isinf_only", 0) == 0;
  const bool sees_inf = graph.node(id)->int_attribute("isnan_only", 0) == 0;
  Spelling s(graph, id);
  const Type count = Type::tensor(DType::kInt64, Shape{});
  ValueId total = s.constant(Tensor::scalar(int64_t{0}));
  for (size_t i = 0; i < s.input_count(); ++i) {
    const ValueId x = s.type(s.input(i)).dtype == DType::kFloat64
                          ? s.input(i)
                          : cast_to(s, s.input(i), DType::kFloat32);
    for (const char* op : {"IsNaN", "IsInf"}) {
      if (op[2] == 'N' ? !sees_nan : !sees_inf) continue;
      Type flags = s.type(x);
      flags.dtype = DType::kBool;
      const ValueId found = cast_to(s, s.add(op, {x}, flags), DType::kInt64);
      const ValueId own = s.add("ReduceSum", {found}, count, {Attribute::of_int("keepdims", 0)});
      total = s.add("Add", {total, own}, count);
    }
  }
  s.give("Equal", {total, s.constant(Tensor::scalar(int64_t{0}))});
  return s.done();
}

constexpr Spelled kPlain[] = {
    {"BiasDropout", takes_any, spell_bias_dropout, 12},
    {"BiasSoftmax", takes_bias_softmax, spell_bias_softmax},
    {"BitmaskBiasDropout", takes_any, spell_bitmask_bias_dropout, 13},
    {"BitmaskDropout", takes_any, spell_bitmask_dropout, 13},
    {"ComplexMul", takes_any, spell_complex_mul},
    {"ComplexMulConj", takes_any, spell_complex_mul_conj},
    {"ExpandDims", takes_any, spell_expand_dims, 13},
    {"GatedAdd", takes_any, spell_gated_add},
    {"GatedRMSNorm", takes_gated_norm, spell_gated_norm},
    {"GatherND", takes_any, spell_gather_nd},
    {"GemmaRotaryEmbedding", takes_any, spell_gemma_rotary, 13},
    {"GridSample", takes_any, spell_grid_sample, 16},
    {"IsAllFinite", takes_all_finite, spell_all_finite},
    {"LinearAttentionGate", takes_attention_gate, spell_attention_gate},
    {"MatMulInteger16", takes_any, spell_matmul_integer16},
    {"MulInteger", takes_any, spell_mul_integer},
    {"Pad", takes_any, spell_pad},
    {"Range", takes_any, spell_range},
    {"ReduceSumInteger", takes_sum_integer, spell_sum_integer},
    {"SampleOp", takes_any, spell_identity},
    {"TorchEmbedding", takes_any, spell_torch_embedding},
    {"Trilu", takes_any, spell_same, 14},
    {"Unique", takes_any, spell_unique},
};

}  // namespace

std::span<const Spelled> plain_spellings() { return kPlain; }

}  // namespace ortc::cpu
