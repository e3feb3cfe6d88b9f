// SPDX-License-Identifier: MIT
// Mish as files from before opset 18 have it:
//
//   Mul(x, Tanh(Softplus(x)))   ->   Mish(x)
#include <algorithm>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kMishOpset = 18;

// The one reader of the node's result, where it is such an operator.
Node* reader_of(Graph& graph, const Node& node, std::string_view op) {
  Node* reader = graph.only_consumer(node.output(0));
  return reader != nullptr && reader->is_op(op) ? reader : nullptr;
}

}  // namespace

Result<int> whole_mish(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& softplus) -> Result<bool> {
    if (!softplus.is_op("Softplus")) return false;
    const ValueId x = softplus.input(0);
    const Node* tanh = reader_of(graph, softplus, "Tanh");
    const Node* product = tanh != nullptr ? reader_of(graph, *tanh, "Mul") : nullptr;
    if (product == nullptr) return false;
    const ValueId gate = tanh->output(0), result = product->output(0);
    if (product->input(product->input(0) == gate ? 1 : 0) != x) return false;
    const std::string name = product->name();
    for (const NodeId id : {product->id(), tanh->id(), softplus.id()}) graph.remove_node(id);
    ASSIGN_OR_RETURN(Node * mish, graph.add_node("Mish", "", name, {x}, {result}));
    mish->set_opset(std::max(mish->opset(), kMishOpset));
    return true;
  });
}

}  // namespace ortc::cpu
