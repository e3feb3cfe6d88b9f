// SPDX-License-Identifier: MIT
// EPContext nodes in the place of claims: see the header.
#include "core/context/generate/context_nodes.h"

#include <algorithm>

#include "core/context/context_source.h"

namespace ortc {
namespace {

// The values of the node that the provider made, by name, among those of the node that stands for
// the claim; in the provider's order.
Result<std::vector<ValueId>> values_of_made(const Graph& place, const Node& made,
                                            const std::vector<ValueId>& wanted,
                                            const std::vector<ValueId>& of_claim) {
  std::vector<ValueId> values;
  for (ValueId id : wanted) {
    if (id == kNoValue) {
      values.push_back(kNoValue);
      continue;
    }
    const std::string& name = made.graph()->value(id)->name;
    const Value* value = place.find_value(name);
    if (value == nullptr ||
        std::find(of_claim.begin(), of_claim.end(), value->id) == of_claim.end())
      return fail(made.label(), ": the provider made it with '", name,
                  "', which is not an input or output of the partition");
    values.push_back(value->id);
  }
  return values;
}

// Puts the EPContext node that the provider made in the place of the one that stands for its claim.
Result<Node*> become_context_node(Graph& place, Node& node, const Node& made) {
  std::vector<ValueId> inputs = node.inputs(), outputs = node.outputs();
  if (!made.inputs().empty() || !made.outputs().empty()) {
    ASSIGN_OR_RETURN(inputs, values_of_made(place, made, made.inputs(), node.inputs()));
    ASSIGN_OR_RETURN(outputs, values_of_made(place, made, made.outputs(), node.outputs()));
  }
  for (ValueId id : node.outputs()) {
    if (id != kNoValue && std::find(outputs.begin(), outputs.end(), id) == outputs.end()) {
      return fail(made.label(), ": the provider made it without the partition's output '",
                  place.value(id)->name, "'");
    }
  }
  std::string name = node.name();
  place.remove_node(node.id());
  return place.add_node("EPContext", std::string(kMicrosoftDomain), std::move(name),
                        std::move(inputs), std::move(outputs), made.attributes());
}

// What the runtime adds, so that a reader knows that model and context were written together.
void tie_to_context(Node& node, const ProviderSink& sink) {
  const Attribute* content = node.attribute("ep_cache_context");
  const ProviderSink::Raw* raw = content != nullptr ? sink.find_raw(content->s) : nullptr;
  // A node without contents reads the only ones that there are.
  const bool has_one = !sink.has_added() && sink.raws().size() == 1;
  if (content == nullptr && has_one) raw = &sink.raws().front();
  if (raw != nullptr) {
    node.set_attribute(Attribute::of_string(std::string(kContextHashAttribute), raw->hash.hex()));
  } else if (sink.has_added()) {
    node.set_attribute(Attribute::of_string(std::string(kGenerationAttribute), ""));
  }
}

}  // namespace

Status place_context_nodes(Graph& graph, std::span<const Partition> partitions,
                           std::span<ExecutionProvider* const> providers, const MadeNodes& made) {
  const size_t bound = graph.node_bound();  // new nodes come behind
  for (NodeId id = 0; id < bound; ++id) {
    Node* node = graph.node(id);
    if (node == nullptr) continue;
    for (Graph* body : node->subgraphs()) {
      RETURN_IF_ERROR(place_context_nodes(*body, partitions, providers, made));
    }
    if (node->callee() == kNoCallee) continue;
    const Partition& partition = partitions[node->callee()];
    if (!partition.claim.is_compiled()) continue;
    const std::string_view provider = providers[partition.provider]->name();
    const auto found = made[partition.provider].find(partition.claim.name);
    if (found == made[partition.provider].end()) {
      return make_status(Code::kEpFail, provider, " returned no EPContext node for partition '",
                         partition.claim.name, "'");
    }
    auto placed = become_context_node(graph, *node, *found->second.node);
    RETURN_IF_ERROR_WHILE(placed.status(), provider);
    tie_to_context(**placed, *found->second.sink);
  }
  return Status::ok();
}

}  // namespace ortc
