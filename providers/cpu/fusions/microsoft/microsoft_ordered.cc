// SPDX-License-Identifier: MIT
// Operators of com.microsoft over int8 matrices whose bytes lie in an order of cuBLASLt's. Rows
// one after the other (ORDER_ROW) and columns one after the other (ORDER_COL) are spelled out:
//
//   QuantizeWithOrder, DequantizeWithOrder      QuantizeLinear or DequantizeLinear, turned
//   QOrderedGelu, QOrderedLayerNormalization    the operator over floats
//   QOrderedMatMul                              MatMul by a matrix that is turned
//
// A matrix has the same dims in either order.
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

enum Order : int64_t { kColumns = 0, kRows = 1 };

bool is_known_order(int64_t order) { return order == kColumns || order == kRows; }
bool has_matrices(const Node& node, size_t i) {
  return rank_of(*node.graph(), node.input(i)).value_or(0) >= 2;
}

ValueId zero_of_int8(Spelling& s) { return s.constant(Tensor::scalar(int8_t{0})); }
Type with_dtype(Type type, DType dtype) {
  type.dtype = dtype;
  return type;
}
ValueId quantised(Spelling& s, ValueId x, ValueId scale) {
  return s.add("QuantizeLinear", {x, as_scalar(s, scale), zero_of_int8(s)},
               with_dtype(s.type(x), DType::kInt8));
}
ValueId dequantised(Spelling& s, ValueId x, ValueId scale) {
  return s.add("DequantizeLinear", {x, as_scalar(s, scale)},
               with_dtype(s.type(x), DType::kFloat32));
}

// 0, 1, .. with the last two exchanged.
std::vector<int64_t> turned_axes(size_t rank) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

// The same dims, the bytes in the other order.
ValueId reordered(Spelling& s, ValueId x, int64_t from, int64_t to) {
  if (from == to) return x;
  const Type type = s.type(x), any = elements_of(type.dtype);
  const auto axes = turned_axes(type.shape->size());
  const Type vector = Type::tensor(DType::kInt64);
  ValueId dims = s.add("Shape", {x}, vector);
  const auto perm = Attribute::of_ints("perm", axes);
  // A dim of 0 is one without elements here, not the same dim of x.
  const auto zeros = Attribute::of_int("allowzero", 1);
  if (to == kColumns) {
    return s.add("Reshape", {s.add("Transpose", {x}, any, {perm}), dims}, type, {zeros});
  }
  dims = s.add("Gather", {dims, int64_constant(s, axes)}, vector, {Attribute::of_int("axis", 0)});
  return s.add("Transpose", {s.add("Reshape", {x, dims}, any, {zeros})}, type, {perm});
}

// --- Between floats and matrices.

struct Orders {
  int64_t from, to;
};
Orders orders_of(const Node& node) {
  return {node.int_attribute("order_input", -1), node.int_attribute("order_output", -1)};
}

bool takes_orders(const Node& node) {
  const Orders orders = orders_of(node);
  if (!is_known_order(orders.from) || !is_known_order(orders.to)) return false;
  return orders.from == orders.to || has_matrices(node, 0);
}

Result<bool> spell_quantize(Graph& graph, NodeId id) {
  const Orders orders = orders_of(*graph.node(id));
  Spelling s(graph, id);
  const ValueId x = cast_to(s, s.input(0), DType::kFloat32);
  s.give("Identity", {reordered(s, quantised(s, x, s.input(1)), orders.from, orders.to)});
  return s.done();
}

Result<bool> spell_dequantize(Graph& graph, NodeId id) {
  const Orders orders = orders_of(*graph.node(id));
  Spelling s(graph, id);
  const auto to = static_cast<int64_t>(s.output_type().dtype);
  const ValueId x = reordered(s, s.input(0), orders.from, orders.to);
  s.give("Cast", {dequantised(s, x, s.input(1))}, {Attribute::of_int("to", to)});
  return s.done();
}

// --- Over matrices.

bool takes_gelu(const Node& node) {
  const int64_t order = node.int_attribute("order_X", kRows);
  return is_known_order(order) && node.int_attribute("order_Y", order) == order;
}
Result<bool> spell_gelu(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId x = dequantised(s, s.input(0), s.input(1));
  const ValueId y = s.add("Gelu", {x}, s.type(x), {}, std::string(kMicrosoftDomain));
  s.give("QuantizeLinear", {y, as_scalar(s, s.input(2)), zero_of_int8(s)});
  return s.done();
}

bool takes_norm(const Node& node) {
  return node.int_attribute("order_X", kRows) == kRows &&
         node.int_attribute("order_Y", kRows) == kRows;
}
Result<bool> spell_norm(Graph& graph, NodeId id) {
  auto attributes = attributes_named(*graph.node(id), "axis epsilon");
  Spelling s(graph, id);
  const ValueId x = dequantised(s, s.input(0), s.input(1));
  const ValueId bias = s.input(3) != kNoValue ? cast_to(s, s.input(3), DType::kFloat32) : kNoValue;
  const ValueId y = s.add("LayerNormalization", {x, cast_to(s, s.input(2), DType::kFloat32), bias},
                          s.type(x), std::move(attributes));
  s.give("QuantizeLinear", {y, as_scalar(s, s.input(4)), zero_of_int8(s)});
  return s.done();
}

// In which units the bias is, text and kernels say differently.
bool takes_product(const Node& node) {
  return node.int_attribute("order_A", -1) == kRows &&
         node.int_attribute("order_B", -1) == kColumns &&
         node.int_attribute("order_Y", -1) == kRows && has_matrices(node, 2) &&
         node.input(5) == kNoValue && (node.input(6) == kNoValue) == (node.input(7) == kNoValue);
}
Result<bool> spell_product(Graph& graph, NodeId id) {
  Spelling s(graph, id);
  const ValueId b = reordered(s, s.input(2), kColumns, kRows);
  const Type floats = with_dtype(s.type(b), DType::kFloat32);
  // The integers first: the scale may be one number or one a column.
  const ValueId columns = s.add("Mul", {cast_to(s, b, DType::kFloat32), s.input(3)}, floats);
  const Type result = with_dtype(s.output_type(), DType::kFloat32);
  ValueId y = s.add("MatMul", {dequantised(s, s.input(0), s.input(1)), columns}, result);
  if (s.input(6) != kNoValue) {
    y = s.add("Add", {y, dequantised(s, s.input(6), s.input(7))}, result);
  }
  s.give("QuantizeLinear", {y, as_scalar(s, s.input(4)), zero_of_int8(s)});
  return s.done();
}

constexpr Spelled kOrdered[] = {
    {"DequantizeWithOrder", takes_orders, spell_dequantize, 13},
    {"QOrderedGelu", takes_gelu, spell_gelu, 13},
    {"QOrderedLayerNormalization", takes_norm, spell_norm, 17},
    {"QOrderedMatMul", takes_product, spell_product, 13},
    {"QuantizeWithOrder", takes_orders, spell_quantize, 13},
};

}  // namespace

std::span<const Spelled> ordered_spellings() { return kOrdered; }

}  // namespace ortc::cpu
