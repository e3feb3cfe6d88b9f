// SPDX-License-Identifier: MIT
// The integer products of com.microsoft that give floats, where no fused operator takes them (B is
// computed, or a zero point is):
//
//   MatMulIntegerToFloat(A, B, a_scale, b_scale, a_zero, b_zero, bias)
//     -> Add(Mul(Cast(MatMulInteger(A, B, a_zero, b_zero)), Mul(a_scale, b_scale)), bias)
//   DynamicQuantizeMatMul(X, B, b_scale, b_zero, bias)
//     -> A, a_scale, a_zero = DynamicQuantizeLinear(X), then the same
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kProductOpset = 11;  // of the newest operator in the result

struct FloatProduct {
  ValueId a, b, a_scale, b_scale, a_zero, b_zero, bias;
};

bool is_dynamic(const Node& node) { return node.is_op("DynamicQuantizeMatMul", kMicrosoftDomain); }

// The operands, X quantised first where it is not.
FloatProduct operands_of(Spelling& spelling, bool is_dynamic_product) {
  const auto in = [&](size_t i) { return spelling.input(i); };
  if (!is_dynamic_product) return {in(0), in(1), in(2), in(3), in(4), in(5), in(6)};
  Type bytes = spelling.type(in(0));
  bytes.dtype = DType::kUint8;
  const ValueId a = spelling.value(bytes);
  const ValueId scale = spelling.value(Type::tensor(DType::kFloat32, Shape{}));
  const ValueId zero = spelling.value(Type::tensor(DType::kUint8, Shape{}));
  spelling.place("DynamicQuantizeLinear", "", {in(0)}, {a, scale, zero});
  return {a, in(1), scale, in(2), zero, in(3), in(4)};
}

Result<bool> spell_out(Graph& graph, NodeId id) {
  const bool is_dynamic_product = is_dynamic(*graph.node(id));
  Spelling spelling(graph, id);
  const FloatProduct p = operands_of(spelling, is_dynamic_product);
  const Type y = spelling.output_type();
  Type sums = y;
  sums.dtype = DType::kInt32;
  const ValueId integers =
      spelling.add("MatMulInteger", {p.a, p.b, p.a_zero, p.b_zero}, std::move(sums));
  const auto to = Attribute::of_int("to", static_cast<int64_t>(DType::kFloat32));
  const ValueId floats = spelling.add("Cast", {integers}, y, {to});
  const ValueId scale = spelling.add("Mul", {p.a_scale, p.b_scale}, Type::tensor(DType::kFloat32));
  if (p.bias == kNoValue) {
    spelling.give("Mul", {floats, scale});
  } else {
    spelling.give("Add", {spelling.add("Mul", {floats, scale}, y), p.bias});
  }
  return spelling.done();
}

}  // namespace

bool is_float_product(const Node& node) {
  const Graph& graph = *node.graph();
  if (!is_dynamic(node) && !node.is_op("MatMulIntegerToFloat", kMicrosoftDomain)) return false;
  const auto is_bytes = [&](ValueId id) {
    return (mask_of(dtype_of(graph, id)) & kInt8Types) != 0;
  };
  if (!is_bytes(node.input(1))) return false;
  if (is_dynamic(node)) return is_float32(graph, node.input(0)) && is_float32(graph, node.input(2));
  return is_bytes(node.input(0)) && is_float32(graph, node.input(2)) &&
         is_float32(graph, node.input(3));
}

Result<int> float_products(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!is_float_product(node)) return false;
    import_domain(graph, "", kProductOpset);
    const size_t bound = graph.node_bound();
    ASSIGN_OR_RETURN(const bool done, spell_out(graph, node.id()));
    read_with(graph, bound, kProductOpset);
    return done;
  });
}

}  // namespace ortc::cpu
