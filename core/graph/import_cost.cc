// SPDX-License-Identifier: MIT
// What inlining local functions will cost, counted before any is inlined: functions that call each
// other twice, thirty deep, are a small file and a billion nodes.
#include <algorithm>

#include "core/base/checked_math.h"
#include "core/graph/importer.h"

namespace ortc {
namespace {

uint64_t saturating_add(uint64_t a, uint64_t b) {
  return checked_add<uint64_t>(a, b).value_or(UINT64_MAX);
}

}  // namespace

// Never more than what inline_call() charges for, so that no model is refused that could be read.
// What is nested too deep is left to those who refuse it.
uint64_t Importer::inlined_cost(Onnx__NodeProto* const* nodes, size_t count, int depth) {
  if (depth > kNestingMax) return 0;
  uint64_t cost = 0;
  for (size_t i = 0; i < count; ++i) {
    const Onnx__NodeProto& node = *nodes[i];
    if (const Function* function = function_of(node)) {
      cost = saturating_add(cost, call_cost(*function, depth + 1));
      continue;  // graphs among its attributes are imported where the function has them
    }
    for (size_t j = 0; j < node.n_attribute; ++j) {
      const Onnx__AttributeProto& attribute = *node.attribute[j];
      if (attribute.g != nullptr) {
        const Onnx__GraphProto& body = *attribute.g;
        cost = saturating_add(cost, inlined_cost(body.node, body.n_node, depth + 1));
      }
    }
  }
  return cost;
}

uint64_t Importer::call_cost(const Function& function, int depth) {
  const uint64_t own = cost_of_call(function);
  // While it is counted, too: it may call itself.
  const auto [known, is_new] = call_costs_.emplace(&function, own);
  if (!is_new) return known->second;
  const uint64_t inner = inlined_cost(function.proto->node, function.proto->n_node, depth);
  return call_costs_[&function] = saturating_add(own, inner);
}

Status Importer::check_inlined_cost() {
  if (functions_.empty() || decoded_.message().graph == nullptr) return Status::ok();
  const Onnx__GraphProto& graph = *decoded_.message().graph;
  return check_cost(inlined_cost(graph.node, graph.n_node, 0));
}

}  // namespace ortc
