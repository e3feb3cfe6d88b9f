// SPDX-License-Identifier: MIT
// Capability: a kernel for the node's operator, opset and type; for If, Loop and Scan, all nodes of
// all bodies.
#include "providers/aot/capability.h"

#include "core/compile/lowerable.h"
#include "core/graph/walk.h"
#include "core/partition/context_border.h"

namespace ortc::aot {
namespace {

// A constant that is dequantised to a value in between is packed or folded when it is compiled, so
// that it may have a type that an EPContext node cannot take.
bool is_weight_alone(const Node& node, const Value& value) {
  if (!node.is_op("DequantizeLinear") || value.constant() == nullptr) return false;
  const Graph& graph = *node.graph();
  for (const ValueId id : node.inputs()) {
    if (id != kNoValue && graph.value(id)->constant() == nullptr) return false;
  }
  const Value& output = *graph.value(node.output(0));
  return !output.is_output && !output.uses.empty();
}

std::string why_not_value(const Node& node, ValueId id) {
  const Value* value = node.graph()->value(id);
  if (value == nullptr) return {};
  if (is_weight_alone(node, *value)) return {};
  const std::string fault = fault_in_context(value->type);
  return fault.empty() ? fault : str_cat("'", value->name, "' ", fault);
}

std::string why_not_body(const Graph& body, const LoweringRules& rules,
                         const std::set<std::string>& excluded) {
  for (const Node& node : nodes_of(body)) {
    const std::string reason = why_not(node, rules, excluded);
    if (!reason.empty()) return str_cat("in its body, ", node.label(), ": ", reason);
  }
  return {};
}

}  // namespace

std::string why_not(const Node& node, const LoweringRules& rules,
                    const std::set<std::string>& excluded) {
  if (excluded.count(node.op_type()) != 0) return "excluded by the option excluded_operators";
  for (const auto* list : {&node.inputs(), &node.outputs(), &node.implicit_inputs()}) {
    for (ValueId id : *list) {
      if (std::string reason = why_not_value(node, id); !reason.empty()) return reason;
    }
  }
  if (node.is_op("If") || node.is_op("Loop") || node.is_op("Scan")) {
    for (const Graph* body : node.subgraphs()) {
      if (std::string reason = why_not_body(*body, rules, excluded); !reason.empty()) return reason;
    }
    return {};
  }
  return why_not_lowered(node, rules);
}

}  // namespace ortc::aot
