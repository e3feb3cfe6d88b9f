// SPDX-License-Identifier: MIT
//   Cast(Cast(x, a), b)   ->   Cast(x, b), where a holds every value of x exactly
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// Bits of exact integers, and whether the type has a sign: what decides if one type holds another.
struct NumberRange {
  int integer_bits = 0;
  bool is_signed = false;
  bool is_float = false;
};

std::optional<NumberRange> range_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return NumberRange{1, false, false};
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return NumberRange{dtype_bits(dtype), false, false};
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return NumberRange{dtype_bits(dtype) - 1, true, false};
    case DType::kFloat16:
      return NumberRange{11, true, true};
    case DType::kBfloat16:
      return NumberRange{8, true, true};
    case DType::kFloat32:
      return NumberRange{24, true, true};
    case DType::kFloat64:
      return NumberRange{53, true, true};
    default:
      return std::nullopt;
  }
}

bool holds(DType wide, DType narrow) {
  const auto to = range_of(wide), from = range_of(narrow);
  if (!to || !from) return false;
  if (wide == narrow) return true;
  if (wide == DType::kBool) return false;
  if (from->is_float) {
    return (wide == DType::kFloat32 || wide == DType::kFloat64) && narrow != DType::kFloat64 &&
           to->integer_bits > from->integer_bits;
  }
  return to->integer_bits >= from->integer_bits && (to->is_signed || !from->is_signed);
}

// Numbers that a narrower integer cannot hold become others when they come from a float than when
// they come from an integer.
bool may_leave_range(DType source, DType between, DType last) {
  const auto from = range_of(source), by = range_of(between), to = range_of(last);
  return !from->is_float && by->is_float && !to->is_float && last != DType::kBool &&
         !holds(last, source);
}

}  // namespace

Result<int> cast_chain(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!node.is_op("Cast")) return false;
    const Node* first = graph.producer(node.input(0));
    if (first == nullptr || !first->is_op("Cast")) return false;
    const DType source = dtype_of(graph, first->input(0));
    // The last type may be anything that is computed from the value alone; text is not.
    const DType middle = dtype_of(graph, node.input(0)), last = dtype_of(graph, node.output(0));
    if (!holds(middle, source) || !range_of(last) || may_leave_range(source, middle, last)) {
      return false;
    }
    const NodeId inner = first->id();
    const ValueId between = node.input(0);
    graph.set_input(node.id(), 0, first->input(0));
    if (!context.evaluator.can_evaluate(node)) {
      graph.set_input(node.id(), 0, between);
      return false;
    }
    remove_unread(graph, inner);
    return true;
  });
}

}  // namespace ortc
