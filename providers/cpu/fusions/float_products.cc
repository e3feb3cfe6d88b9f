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

namespace ortc::cpu {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr int64_t kFirstOpset = 11;  // of the newest operator in the result

struct FloatProduct {
  ValueId a, b, a_scale, b_scale, a_zero, b_zero, bias;
};

bool is_dynamic(const Node& node) { return node.is_op("DynamicQuantizeMatMul", kMicrosoftDomain); }

class SpelledOut {
 public:
  SpelledOut(Graph& graph, NodeId id)
      : graph_(graph), name_(graph.node(id)->name()), output_(graph.node(id)->output(0)) {}

  Result<bool> replace(NodeId id) {
    const Node& node = *graph_.node(id);
    FloatProduct p{};
    if (is_dynamic(node)) {
      ASSIGN_OR_RETURN(p, quantise(node));
    } else {
      p = {node.input(0), node.input(1), node.input(2), node.input(3),
           node.input(4), node.input(5), node.input(6)};
    }
    graph_.remove_node(id);
    const Type y = graph_.value(output_)->type;
    const Type sums =
        y.has_shape() ? Type::tensor(DType::kInt32, *y.shape) : Type::tensor(DType::kInt32);
    ASSIGN_OR_RETURN(const ValueId integers,
                     add("MatMulInteger", {p.a, p.b, p.a_zero, p.b_zero}, sums));
    const auto to = Attribute::of_int("to", static_cast<int64_t>(DType::kFloat32));
    ASSIGN_OR_RETURN(const ValueId floats, add("Cast", {integers}, y, {to}));
    ASSIGN_OR_RETURN(const ValueId scale,
                     add("Mul", {p.a_scale, p.b_scale}, Type::tensor(DType::kFloat32)));
    if (p.bias == kNoValue) return give("Mul", {floats, scale});
    ASSIGN_OR_RETURN(const ValueId scaled, add("Mul", {floats, scale}, y));
    return give("Add", {scaled, p.bias});
  }

 private:
  Result<FloatProduct> quantise(const Node& node) {
    const Type x = graph_.value(node.input(0))->type;
    Type bytes = x;
    bytes.dtype = DType::kUint8;
    ASSIGN_OR_RETURN(const ValueId a, new_value(bytes));
    ASSIGN_OR_RETURN(const ValueId scale, new_value(Type::tensor(DType::kFloat32, Shape{})));
    ASSIGN_OR_RETURN(const ValueId zero, new_value(Type::tensor(DType::kUint8, Shape{})));
    const FloatProduct product{a,    node.input(1), scale,        node.input(2),
                               zero, node.input(3), node.input(4)};
    RETURN_IF_ERROR(graph_
                        .add_node("DynamicQuantizeLinear", "", str_cat(name_, "/quantize"),
                                  {node.input(0)}, {a, scale, zero})
                        .status());
    return product;
  }
  Result<ValueId> new_value(Type type) {
    return graph_.add_value(graph_.unique_name(name_), std::move(type));
  }
  Result<ValueId> add(std::string op, std::vector<ValueId> inputs, Type type,
                      std::vector<Attribute> attributes = {}) {
    ASSIGN_OR_RETURN(const ValueId output, new_value(std::move(type)));
    while (inputs.back() == kNoValue) inputs.pop_back();
    RETURN_IF_ERROR(
        graph_
            .add_node(std::move(op), "", name_, std::move(inputs), {output}, std::move(attributes))
            .status());
    return output;
  }
  Result<bool> give(std::string op, std::vector<ValueId> inputs) {
    RETURN_IF_ERROR(
        graph_.add_node(std::move(op), "", name_, std::move(inputs), {output_}).status());
    return true;
  }

  Graph& graph_;
  const std::string name_;
  const ValueId output_;
};

}  // namespace

bool is_float_product(const Graph& graph, const Node& node) {
  if (!is_dynamic(node) && !node.is_op("MatMulIntegerToFloat", kMicrosoftDomain)) return false;
  const int64_t opset = graph.opset("");
  if (opset > 0 && opset < kFirstOpset) return false;
  const auto is_bytes = [&](ValueId id) { return (mask_of(dtype_of(graph, id)) & kBytes) != 0; };
  if (!is_bytes(node.input(1))) return false;
  if (is_dynamic(node)) return is_float32(graph, node.input(0)) && is_float32(graph, node.input(2));
  return is_bytes(node.input(0)) && is_float32(graph, node.input(2)) &&
         is_float32(graph, node.input(3));
}

Result<int> spell_out_float_products(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!is_float_product(graph, node)) return false;
    import_domain(graph, "", kFirstOpset);
    return SpelledOut(graph, node.id()).replace(node.id());
  });
}

}  // namespace ortc::cpu
