// SPDX-License-Identifier: MIT
// Nodes whose inputs differ in type where kernels have one type for all, and types that kernels
// leave to others: Casts in front, the node, Casts behind.
//
//   Attention, BatchNormalization,     the widest of the types: float64 if one has it, else float32
//   GridSample, LinearAttention,
//   RMSNormalization, Simplified...
//   Dropout, IsInf, IsNaN              8-bit floats as float32
//   Erf, GridSample of integers        as float64
//   QuantizeLinear                     integer scales as float32
//
// and some that are other operators in a row:
//
//   Gemm of integers                   MatMul, Add
//   LayerNormalization and the like    with a stash_type of float64 in that, of 16 bits in float32
//                                      at least; statistics are rounded to it
//   QLinearMatMul of 8-bit floats      DequantizeLinear, MatMul, QuantizeLinear
//   TfIdfVectorizer of strings         LabelEncoder, TfIdfVectorizer
#include <functional>
#include <map>
#include <string>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kFloats = FloatTypes::kMask;
constexpr TypeMask kIntegers = IntegerTypes::kMask;
constexpr TypeMask kFloat8 = mask_of(DType::kFloat8E4M3Fn, DType::kFloat8E4M3FnUz,
                                     DType::kFloat8E5M2, DType::kFloat8E5M2FnUz);

DType type_of(const Node& node, size_t i) {
  return node.input(i) == kNoValue ? DType::kUndefined : dtype_of(*node.graph(), node.input(i));
}
bool is_type_in(DType dtype, TypeMask types) {
  return dtype != DType::kUndefined && (mask_of(dtype) & types) != 0;
}

Attribute to_type(DType dtype) { return Attribute::of_int("to", static_cast<int64_t>(dtype)); }

ValueId cast(Spelling& s, ValueId x, DType dtype) {
  if (x == kNoValue || s.type(x).dtype == dtype) return x;
  Type type = s.type(x);
  type.dtype = dtype;
  return s.add("Cast", {x}, std::move(type), {to_type(dtype)});
}

// --- One type for all inputs.

struct Rule {
  std::string_view op;
  uint32_t inputs;   // bit i: input i is cast
  uint32_t results;  // bit i: result i has that type, and is cast to what it is to be
  // The type; undefined when the node may stay as it is.
  DType (*common)(const Node& node);
};

// bool is no number; float16 and bfloat16 beside each other are both parts of float32.
template <uint32_t kInputs>
DType widest(const Node& node) {
  DType found = DType::kUndefined;
  bool differ = false;
  for (size_t i = 0; i < 32 && i < node.inputs().size(); ++i) {
    const DType type = type_of(node, i);
    if ((kInputs >> i & 1) == 0 || !is_type_in(type, kFloats | kIntegers)) continue;
    if (found == DType::kUndefined) {
      found = type;
    } else if (type == DType::kFloat64 || (found != type && found != DType::kFloat64)) {
      differ = differ || found != type;
      found = type == DType::kFloat64 ? type : DType::kFloat32;
    } else {
      differ = differ || found != type;
    }
  }
  return differ ? found : DType::kUndefined;
}

// A state of float32 beside reduced types has a kernel.
DType of_linear_attention(const Node& node) {
  constexpr TypeMask kReduced = mask_of(DType::kFloat16, DType::kBfloat16);
  const bool has_kernel =
      is_type_in(type_of(node, 0), kReduced) && type_of(node, 3) == DType::kFloat32;
  return has_kernel ? DType::kUndefined : widest<0b111111>(node);
}

DType of_grid_sample(const Node& node) {
  const DType image = type_of(node, 0), grid = type_of(node, 1);
  if (is_type_in(image, kFloats)) return widest<0b11>(node);
  const bool is_nearest = node.string_attribute("mode", "linear") == "nearest";
  if (is_nearest || !is_type_in(image, kIntegers) || grid == DType::kUndefined) {
    return DType::kUndefined;
  }
  return DType::kFloat64;
}
// Of what is only moved: the grid alone.
DType of_grid(const Node& node) {
  const bool is_reduced = is_type_in(type_of(node, 1), mask_of(DType::kFloat16, DType::kBfloat16));
  const DType image = type_of(node, 0);
  const bool moves = image != DType::kUndefined && !is_type_in(image, kFloats);
  return is_reduced && moves ? DType::kFloat32 : DType::kUndefined;
}

DType of_float8(const Node& node) {
  return is_type_in(type_of(node, 0), kFloat8) ? DType::kFloat32 : DType::kUndefined;
}
DType of_ratio(const Node& node) {
  if (is_type_in(type_of(node, 0), kFloat8)) return DType::kFloat32;
  return is_type_in(type_of(node, 1), kFloat8) ? type_of(node, 0) : DType::kUndefined;
}
DType of_integers(const Node& node) {
  return is_type_in(type_of(node, 0), kIntegers) ? DType::kFloat64 : DType::kUndefined;
}
DType of_scale(const Node& node) {
  return type_of(node, 1) == DType::kInt32 ? DType::kFloat32 : DType::kUndefined;
}

constexpr Rule kRules[] = {
    {"Attention", 0b111111, 0b1111, widest<0b111111>},
    {"BatchNormalization", 0b11111, 0b111, widest<0b11111>},
    {"Dropout", 0b11, 0b1, of_ratio},
    {"Erf", 0b1, 0b1, of_integers},
    {"GridSample", 0b11, 0b1, of_grid_sample},
    {"GridSample", 0b10, 0, of_grid},
    {"IsInf", 0b1, 0, of_float8},
    {"IsNaN", 0b1, 0, of_float8},
    {"LinearAttention", 0b111111, 0b11, of_linear_attention},
    {"QuantizeLinear", 0b10, 0, of_scale},
    {"RMSNormalization", 0b11, 0b1, widest<0b11>},
    {"SimplifiedLayerNormalization", 0b11, 0b1, widest<0b11>},
};

Result<bool> unify(Graph& graph, NodeId id, const Rule& rule) {
  const Node& node = *graph.node(id);
  const DType dtype = rule.common(node);
  const std::string op = node.op_type();
  const int64_t opset = node.opset();
  const size_t bound = graph.node_bound();
  std::vector<Attribute> attributes = node.attributes();
  std::vector<ValueId> inputs = node.inputs(), outputs = node.outputs(), results = outputs;
  Spelling s(graph, id);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_meant = i < 32 && (rule.inputs >> i & 1) != 0;
    if (is_meant && inputs[i] != kNoValue && s.type(inputs[i]).dtype != DType::kBool) {
      inputs[i] = cast(s, inputs[i], dtype);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= 32 || (rule.results >> i & 1) == 0 || outputs[i] == kNoValue) continue;
    Type type = s.type(outputs[i]);
    if (type.dtype == dtype) continue;
    type.dtype = dtype;
    results[i] = s.value(std::move(type));
  }
  s.place(op, "", inputs, results, std::move(attributes));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (results[i] == outputs[i]) continue;
    s.place("Cast", "", {results[i]}, {outputs[i]}, {to_type(s.type(outputs[i]).dtype)});
  }
  read_with(graph, bound, opset);
  return s.done();
}

// --- Operators in a row.

// Exact: integers wrap around as they do in MatMul and Add.
bool takes_gemm(const Node& node) {
  const bool scales = node.float_attribute("alpha", 1) != 1 || node.float_attribute("beta", 1) != 1;
  return node.opset() >= 7 && is_type_in(type_of(node, 0), kIntegers) && !scales;
}
Result<bool> spell_gemm(Graph& graph, NodeId id) {
  const bool turns[2] = {graph.node(id)->int_attribute("transA", 0) != 0,
                         graph.node(id)->int_attribute("transB", 0) != 0};
  Spelling s(graph, id);
  ValueId operands[2];
  for (size_t i = 0; i < 2; ++i) {
    operands[i] = s.input(i);
    if (!turns[i]) continue;
    Type turned = s.type(operands[i]);
    if (turned.shape && turned.shape->size() == 2) {
      std::swap((*turned.shape)[0], (*turned.shape)[1]);
    }
    operands[i] = s.add("Transpose", {operands[i]}, turned, {Attribute::of_ints("perm", {1, 0})});
  }
  if (s.input(2) == kNoValue) {
    s.give("MatMul", {operands[0], operands[1]});
  } else {
    s.give("Add", {s.add("MatMul", {operands[0], operands[1]}, s.output_type()), s.input(2)});
  }
  return s.done();
}

// The same with factors: in float64, and truncated as Cast does it.
bool takes_scaled_gemm(const Node& node) {
  return node.opset() >= 7 && is_type_in(type_of(node, 0), kIntegers) && !takes_gemm(node);
}
Result<bool> spell_scaled_gemm(Graph& graph, NodeId id) {
  const std::vector<Attribute> attributes = graph.node(id)->attributes();
  Spelling s(graph, id);
  Type wide = s.output_type();
  const DType dtype = std::exchange(wide.dtype, DType::kFloat64);
  const ValueId y = s.add("Gemm",
                          {cast(s, s.input(0), wide.dtype), cast(s, s.input(1), wide.dtype),
                           cast(s, s.input(2), wide.dtype)},
                          wide, attributes);
  s.give("Cast", {y}, {to_type(dtype)});
  return s.done();
}

constexpr TypeMask kStashes = mask_of(DType::kFloat16, DType::kBfloat16, DType::kFloat64);

DType stash_of(const Node& node) {
  const int64_t stash = node.int_attribute("stash_type", 1);
  return dtype_is_valid(stash) ? static_cast<DType>(stash) : DType::kUndefined;
}
// The kernels for float64 take that stash_type themselves, where they know one.
bool knows_stash(const Node& node, DType stash) {
  return stash == DType::kFloat64 && node.op_type() != "GroupNormalization";
}
bool takes_stash(const Node& node) {
  const DType stash = stash_of(node);
  if (!is_type_in(stash, kStashes)) return false;
  bool is_wide = knows_stash(node, stash);
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    is_wide = is_wide && (node.input(i) == kNoValue || type_of(node, i) == stash);
  }
  return !is_wide;
}
Result<bool> spell_stash(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const std::string op(node.op_type());
  const DType stash = stash_of(node);
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.name != "stash_type" || knows_stash(node, stash)) attributes.push_back(attribute);
  }
  std::vector<ValueId> inputs = node.inputs(), results = node.outputs();
  const std::vector<ValueId> outputs = results;
  Spelling s(graph, id);
  if (stash == DType::kFloat64) {
    for (ValueId& input : inputs) input = cast(s, input, stash);
  }
  // Kernels have x's type, and statistics of float32 or float64.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == kNoValue || (i == 0 && stash != DType::kFloat64)) continue;
    Type type = s.type(outputs[i]);
    const DType wanted = type.dtype;
    type.dtype = stash == DType::kFloat64 ? stash : DType::kFloat32;
    if (type.dtype != wanted) results[i] = s.value(std::move(type));
  }
  s.place(op, "", inputs, results, std::move(attributes));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (results[i] == outputs[i]) continue;
    s.place("Cast", "", {results[i]}, {outputs[i]}, {to_type(s.type(outputs[i]).dtype)});
  }
  return s.done();
}

// a, scale, zero point; b, ...; y's scale and zero point.
bool takes_q_product(const Node& node) {
  return is_type_in(type_of(node, 0), kFloat8) || is_type_in(type_of(node, 3), kFloat8) ||
         is_type_in(type_of(node, 7), kFloat8);
}
Result<bool> spell_q_product(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  Type wide = s.output_type();
  wide.dtype = DType::kFloat32;
  ValueId operands[2];
  for (size_t i = 0; i < 2; ++i) {
    Type type = s.type(s.input(3 * i));
    type.dtype = DType::kFloat32;
    const ValueId scale = cast(s, s.input(3 * i + 1), DType::kFloat32);
    operands[i] = s.add("DequantizeLinear", {s.input(3 * i), scale, s.input(3 * i + 2)}, type);
  }
  const ValueId y = s.add("MatMul", {operands[0], operands[1]}, wide);
  s.give("QuantizeLinear", {y, cast(s, s.input(6), DType::kFloat32), s.input(7)});
  return s.done();
}

// Texts as their places in the pool; -1 is in no n-gram.
bool takes_tf_idf(const Node& node) {
  const Attribute* pool = node.attribute("pool_strings");
  return type_of(node, 0) == DType::kString && pool != nullptr && !pool->strings.empty();
}
Result<bool> spell_tf_idf(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  Attribute keys;
  keys.name = "keys_strings";
  keys.kind = AttributeKind::kStrings;
  std::vector<int64_t> numbers, pool;
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.name != "pool_strings") attributes.push_back(attribute);
  }
  std::map<std::string, int64_t, std::less<>> places_of;
  for (const Blob& text : node.attribute("pool_strings")->strings) {
    const auto next = static_cast<int64_t>(places_of.size());
    const auto [at, is_new] = places_of.emplace(text.text(), next);
    if (is_new) {
      keys.strings.push_back(text);
      numbers.push_back(next);
    }
    pool.push_back(at->second);
  }
  attributes.push_back(Attribute::of_ints("pool_int64s", pool));
  import_domain(graph, "ai.onnx.ml", 2);
  Spelling s(graph, id);
  Type type = s.type(s.input(0));
  type.dtype = DType::kInt64;
  const ValueId places = s.add(
      "LabelEncoder", {s.input(0)}, type,
      {keys, Attribute::of_ints("values_int64s", numbers), Attribute::of_int("default_int64", -1)},
      "ai.onnx.ml");
  s.give("TfIdfVectorizer", {places}, std::move(attributes));
  return s.done();
}

struct Spelled {
  std::string_view op;
  bool (*takes)(const Node& node);
  Result<bool> (*spell)(Graph& graph, NodeId id);
};
constexpr Spelled kSpelled[] = {
    {"Gemm", takes_gemm, spell_gemm},
    {"Gemm", takes_scaled_gemm, spell_scaled_gemm},
    {"GroupNormalization", takes_stash, spell_stash},
    {"LayerNormalization", takes_stash, spell_stash},
    {"QLinearMatMul", takes_q_product, spell_q_product},
    {"RMSNormalization", takes_stash, spell_stash},
    {"SimplifiedLayerNormalization", takes_stash, spell_stash},
    {"TfIdfVectorizer", takes_tf_idf, spell_tf_idf},
};

bool is_onnx(const Node& node) { return node.domain().empty() && node.custom() == nullptr; }

const Rule* rule_of(const Node& node) {
  for (const Rule& rule : kRules) {
    if (node.op_type() == rule.op && rule.common(node) != DType::kUndefined) return &rule;
  }
  return nullptr;
}
const Spelled* spelled(const Node& node) {
  for (const Spelled& row : kSpelled) {
    if (node.op_type() == row.op && row.takes(node)) return &row;
  }
  return nullptr;
}

}  // namespace

bool has_mixed_types(const Node& node) {
  return is_onnx(node) && (rule_of(node) != nullptr || spelled(node) != nullptr);
}

Result<int> mixed_types(Graph& graph, const KernelRegistry&) {
  const auto spell_out = [&graph](Node& node) -> Result<bool> {
    if (!is_onnx(node)) return false;
    if (const Rule* rule = rule_of(node)) return unify(graph, node.id(), *rule);
    const Spelled* row = spelled(node);
    return row != nullptr ? row->spell(graph, node.id()) : Result<bool>(false);
  };
  // A node that got one type may still have to be another.
  for (int all = 0;;) {
    ASSIGN_OR_RETURN(const int changed, for_nodes(graph, spell_out));
    if (changed == 0) return all;
    all += changed;
  }
}

}  // namespace ortc::cpu
