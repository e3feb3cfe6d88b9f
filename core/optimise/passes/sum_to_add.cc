// SPDX-License-Identifier: MIT
//   Sum(a, b)   ->   Add(a, b)
//
// One form of a sum of two: what follows, and the fusions of the execution providers, look for Add.
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {

Result<int> sum_to_add(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    // Both broadcast from opset 8 on.
    if (!node.is_op("Sum") || node.inputs().size() != 2 || node.opset() < 8) return false;
    node.set_op("Add", "");
    if (context.evaluator.can_evaluate(node)) return true;
    node.set_op("Sum", "");
    return false;
  });
}

}  // namespace ortc
