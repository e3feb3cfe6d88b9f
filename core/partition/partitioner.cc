// SPDX-License-Identifier: MIT
// Partitioning: see the header.
#include "core/partition/partitioner.h"

#include "core/partition/cut_claim.h"

namespace ortc {
namespace {

class Partitioner {
 public:
  Partitioner(std::span<ExecutionProvider* const> providers, const PartitionOptions& options)
      : providers_(providers), options_(options) {}

  Status partition_graph(Graph& graph) {
    std::map<NodeId, std::string> reasons;
    for (size_t i = 0; i < providers_.size(); ++i) {
      ASSIGN_OR_RETURN(Capability capability, providers_[i]->get_capability(graph));
      for (const NodeGroup& group : capability.groups) {
        RETURN_IF_ERROR(take(graph, i, group));
      }
      for (const Refusal& refusal : capability.refusals) {
        std::string& reason = reasons[refusal.node];
        reason +=
            str_cat(reason.empty() ? "" : "; ", providers_[i]->short_name(), ": ", refusal.reason);
      }
    }
    for (NodeId id = 0; id < graph.node_bound(); ++id) {
      const Node* node = graph.node(id);
      if (node == nullptr || is_taken(graph, id)) continue;
      result_.assignments.push_back(
          {node->name(), node->op_type(), "CPUExecutionProvider", reasons[id]});
      for (Graph* body : node->subgraphs()) RETURN_IF_ERROR(partition_graph(*body));
      if (!node->subgraphs().empty()) graph.refresh_implicit_inputs(id);
    }
    return Status::ok();
  }

  PartitionResult result_;

 private:
  bool is_taken(const Graph& graph, NodeId id) const {
    for (const Partition& partition : result_.partitions) {
      if (partition.place == &graph && partition.fused_node == id) return true;
    }
    return false;
  }

  Status take(Graph& graph, size_t provider, const NodeGroup& group) {
    for (NodeId id : group.nodes) {
      if (graph.node(id) == nullptr || is_taken(graph, id)) {
        ORTC_LOG(options_.logger, kWarning, "partition", providers_[provider]->name(),
                 " claimed a node that another provider has; its group is left out");
        return Status::ok();
      }
    }
    Partition partition;
    partition.provider = provider;
    partition.place = &graph;
    partition.node_count = group.nodes.size();
    const Node& first = *graph.node(group.nodes.front());
    if (group.nodes.size() == 1 && first.is_op("EPContext", kMicrosoftDomain)) {
      partition.claim.name = first.name();
      partition.claim.context_node = &first;
      partition.fused_node = first.id();
    } else {
      ASSIGN_OR_RETURN(CutClaim cut, cut_claim(graph, group));
      partition.claim.name =
          str_cat(options_.node_name_prefix, providers_[provider]->short_name(), "_",
                  partition_hash(*cut.graph, options_.hash_weights).hex().substr(0, 16), "_",
                  next_number_++);
      partition.claim.graph = cut.graph;
      cut.graph->name = partition.claim.name;
      ASSIGN_OR_RETURN(Node * fused, replace_by_fused_node(graph, group, cut, partition.claim.name,
                                                           kInternalDomain));
      partition.fused_node = fused->id();
    }
    result_.partitions.push_back(std::move(partition));
    return Status::ok();
  }

  std::span<ExecutionProvider* const> providers_;
  const PartitionOptions& options_;
  int next_number_ = 0;
};

}  // namespace

Result<PartitionResult> partition(Graph& graph, std::span<ExecutionProvider* const> providers,
                                  const PartitionOptions& options) {
  Partitioner partitioner(providers, options);
  RETURN_IF_ERROR(partitioner.partition_graph(graph));
  return std::move(partitioner.result_);
}

}  // namespace ortc
