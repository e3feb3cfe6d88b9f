// SPDX-License-Identifier: MIT
// Standard operators for channels-last nodes: see the header.
#include "core/partition/layout/standard_form.h"

#include "core/graph/channels_last_domain.h"
#include "core/ops/signatures/layout_sensitive.h"
#include "core/partition/layout/layout_choice.h"
#include "core/partition/layout/layout_facts.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// The value in the other layout, which a Transpose makes or takes.
Result<ValueId> add_turned(Graph& graph, ValueId last) {
  const Value& value = *graph.value(last);
  Type type = permuted(value.type, perm_to_first(value.type.shape->size()));
  return graph.add_value(graph.unique_name(value.name + "_nchw"), std::move(type));
}

Status add_transpose(Graph& graph, ValueId from, ValueId to, std::vector<int64_t> perm) {
  return graph
      .add_node("Transpose", "", graph.value(to)->name + "_transpose", {from}, {to},
                {Attribute::of_ints("perm", std::move(perm))})
      .status();
}

Status change(Graph& graph, NodeId id) {
  Node& node = *graph.node(id);
  // A Conv with an activation was com.microsoft's FusedConv.
  const bool is_fused = node.op_type() == "Conv" && node.attribute("activation") != nullptr;
  const std::string op_type = is_fused ? "FusedConv" : node.op_type();
  const std::string domain(is_fused ? kMicrosoftDomain
                                    : standard_domain(kChannelsLastDomain, op_type));
  node.set_op(op_type, domain);
  const size_t rank = graph.value(node.input(0))->type.shape->size();
  if (is_last_by_attribute(node) || rank < kLeastLayoutRank) return Status::ok();
  const bool is_resize = node.is_op("Resize");
  for (uint32_t i = 2; is_resize && i < node.inputs().size(); ++i) {
    const Tensor* numbers = node.input(i) != kNoValue ? constant_of(graph, node.input(i)) : nullptr;
    if (numbers == nullptr || numbers->element_count() == 0) continue;
    const ValueId turned = graph.add_constant(graph.value(node.input(i))->name + "_nchw",
                                              reordered(*numbers, perm_to_first(rank)));
    graph.set_input(id, i, turned);
  }
  const ValueId from = node.input(0), to = node.output(0);
  ASSIGN_OR_RETURN(const ValueId input, add_turned(graph, from));
  ASSIGN_OR_RETURN(const ValueId output, add_turned(graph, to));
  graph.set_input(id, 0, input);
  graph.set_output(id, 0, output);
  RETURN_IF_ERROR(add_transpose(graph, from, input, perm_to_first(rank)));
  return add_transpose(graph, output, to, perm_to_last(rank));
}

}  // namespace

Status become_standard(Graph& graph) {
  const size_t bound = graph.node_bound();  // new nodes come behind
  for (NodeId id = 0; id < bound; ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    for (Graph* body : node->subgraphs()) RETURN_IF_ERROR(become_standard(*body));
    if (node->domain() == kChannelsLastDomain) RETURN_IF_ERROR(change(graph, id));
  }
  return Status::ok();
}

}  // namespace ortc
