// SPDX-License-Identifier: MIT
// Partitioning: see the header.
#include "core/partition/partitioner.h"

#include <map>
#include <set>

#include "core/graph/walk.h"
#include "core/partition/context_border.h"
#include "core/partition/cut_claim.h"
#include "core/partition/layout/channels_last.h"
#include "core/partition/path_search.h"

namespace ortc {
namespace {

bool has_claims(const Graph& graph) {
  for (const Node& node : nodes_of(graph)) {
    if (node.callee() != kNoCallee) return true;
    for (const Graph* body : node.subgraphs()) {
      if (has_claims(*body)) return true;
    }
  }
  return false;
}

bool has_claims_inside(const Node& node) {
  for (const Graph* body : node.subgraphs()) {
    if (has_claims(*body)) return true;
  }
  return false;
}

class Partitioner {
 public:
  Partitioner(std::span<ExecutionProvider* const> providers, const PartitionOptions& options)
      : providers_(providers), options_(options) {}

  // All providers on one graph. Those that ask outer-first see its bodies once everybody had the
  // graph itself; the others have seen them before.
  Status partition_graph(Graph& graph) {
    for (size_t i = 0; i < providers_.size(); ++i) {
      if (providers_[i]->claim_order() == ClaimOrder::kInnerFirst) {
        RETURN_IF_ERROR(ask_inner_first(graph, i));
      } else {
        RETURN_IF_ERROR(ask(graph, i));
      }
    }
    return visit_bodies(graph, [&](Graph& body) { return partition_body(body); });
  }

  // Nodes that are left, in order of graphs and ids.
  void list_rest(const Graph& graph) {
    for_each_node(graph, [&](const Node& node) {
      if (node.callee() != kNoCallee) return;
      const std::string& reason = reasons_[node.graph()][node.id()];
      result_.assignments.push_back({node.name(), node.op_type(), reason});
    });
  }

  PartitionResult result_;

 private:
  template <typename F>
  static Status visit_bodies(Graph& graph, F&& visit) {
    for (const Node& node : nodes_of(graph)) {
      if (node.subgraphs().empty()) continue;
      for (Graph* body : node.subgraphs()) RETURN_IF_ERROR(visit(*body));
      graph.refresh_implicit_inputs(node.id());
    }
    return Status::ok();
  }

  Status partition_body(Graph& body) {
    for (size_t i = 0; i < providers_.size(); ++i) {
      if (providers_[i]->claim_order() == ClaimOrder::kOuterFirst) RETURN_IF_ERROR(ask(body, i));
    }
    return visit_bodies(body, [&](Graph& inner) { return partition_body(inner); });
  }

  Status ask_inner_first(Graph& graph, size_t provider) {
    RETURN_IF_ERROR(
        visit_bodies(graph, [&](Graph& body) { return ask_inner_first(body, provider); }));
    return ask(graph, provider);
  }

  Status ask(Graph& graph, size_t provider) {
    ASSIGN_OR_RETURN(const Capability capability, providers_[provider]->get_capability(graph));
    if (capability.groups.empty()) return take_all(graph, provider, capability);
    ASSIGN_OR_RETURN(LayoutWishes* const wishes, providers_[provider]->wants_channels_last());
    if (wishes == nullptr) return take_all(graph, provider, capability);
    std::set<NodeId> claimed = claimed_nodes(capability);
    std::erase_if(claimed, [&](NodeId id) { return graph.node(id) == nullptr; });
    ChannelsLast layout(graph);
    RETURN_IF_ERROR(layout.convert(claimed, *wishes));
    ASSIGN_OR_RETURN(const Capability again, wishes->get_capability_again(graph, claimed));
    RETURN_IF_ERROR(take_all(graph, provider, again));
    return layout.restore_unclaimed();
  }

  static std::set<NodeId> claimed_nodes(const Capability& capability) {
    std::set<NodeId> nodes;
    for (const NodeGroup& group : capability.groups) {
      nodes.insert(group.nodes.begin(), group.nodes.end());
    }
    return nodes;
  }

  Status take_all(Graph& graph, size_t provider, const Capability& capability) {
    OwnNodes own_nodes(graph, claimed_nodes(capability));
    PathSearch paths;
    for (const NodeGroup& group : capability.groups) {
      ASSIGN_OR_RETURN(std::string fault, fault_of(graph, group, paths));
      if (fault.empty() && is_context_node(graph, group)) {
        take_context_node(graph, provider, group);
        continue;
      }
      if (fault.empty() && group.kind == GroupKind::kSingle) {
        take_single_node(graph, provider, group);
        continue;
      }
      CutClaim cut;
      if (fault.empty()) {
        NodeGroup wanted = group;
        wanted.takes_constants = group.takes_constants && !options_.leave_constants;
        ASSIGN_OR_RETURN(cut, cut_claim(graph, wanted, own_nodes));
        if (options_.for_contexts) fault = fault_of_border(graph, cut);
      }
      if (fault.empty()) {
        ASSIGN_OR_RETURN(const NodeId fused, take(graph, provider, group, std::move(cut)));
        paths.group_replaced(group, fused);
      } else {
        leave_out(graph, provider, group, fault);
      }
    }
    for (const Refusal& refusal : capability.refusals) {
      add_reason(graph, refusal.node, provider, refusal.reason);
    }
    return Status::ok();
  }

  void leave_out(const Graph& graph, size_t provider, const NodeGroup& group,
                 const std::string& fault) {
    ORTC_LOG(options_.logger, kWarning, "partition", providers_[provider]->name(),
             " asked for a group of ", group.nodes.size(), " nodes that is left out: ", fault);
    for (NodeId id : group.nodes) {
      if (graph.node(id) != nullptr) add_reason(graph, id, provider, fault);
    }
  }

  void add_reason(const Graph& graph, NodeId id, size_t provider, const std::string& text) {
    std::string& reason = reasons_[&graph][id];
    reason += str_cat(reason.empty() ? "" : "; ", providers_[provider]->short_name(), ": ", text);
  }

  // Why a group cannot be taken; "" when it can.
  static Result<std::string> fault_of(const Graph& graph, const NodeGroup& group,
                                      PathSearch& paths) {
    if (group.nodes.empty()) return std::string("it has no nodes");
    std::set<NodeId> seen;
    for (NodeId id : group.nodes) {
      const Node* node = graph.node(id);
      if (node == nullptr) return std::string("one of its nodes is not in the graph (any more)");
      if (!seen.insert(id).second) return str_cat("it names ", node->label(), " twice");
      if (node->callee() != kNoCallee) return str_cat(node->label(), " belongs to another claim");
      if (group.kind == GroupKind::kSingle) {
        if (std::string fault = fault_of_single(*node); !fault.empty()) return fault;
      } else if (has_claims_inside(*node)) {
        return str_cat("a body of ", node->label(), " holds a claim");
      }
    }
    if (group.kind == GroupKind::kSingle && group.nodes.size() != 1) {
      return str_cat("it has ", group.nodes.size(), " nodes, expected a single one");
    }
    ASSIGN_OR_RETURN(const bool convex, paths.is_convex(graph, group));
    return convex ? std::string() : std::string("a path leaves the group and comes back");
  }

  static std::string fault_of_single(const Node& node) {
    const bool has_known_bodies = node.is_op("If") || node.is_op("Loop") || node.is_op("Scan");
    if (node.subgraphs().empty() || has_known_bodies) return {};
    return str_cat(node.label(), " has bodies, which the runtime runs for If, Loop and Scan only");
  }

  static bool is_context_node(const Graph& graph, const NodeGroup& group) {
    return group.kind == GroupKind::kFused && group.nodes.size() == 1 &&
           graph.node(group.nodes.front())->is_op("EPContext", kMicrosoftDomain);
  }

  void take_context_node(Graph& graph, size_t provider, const NodeGroup& group) {
    Node& node = *graph.node(group.nodes.front());
    node.set_callee(static_cast<uint32_t>(result_.partitions.size()));
    Claim claim;
    claim.outer = &graph;
    claim.name = node.name();
    claim.context_node = &node;
    result_.partitions.push_back({std::move(claim), provider, 1, &node, nullptr});
  }

  void take_single_node(Graph& graph, size_t provider, const NodeGroup& group) {
    Node& node = *graph.node(group.nodes.front());
    node.set_callee(static_cast<uint32_t>(result_.partitions.size()));
    Claim claim;
    claim.outer = &graph;
    claim.name = node.name();
    claim.single_node = &node;
    result_.partitions.push_back({std::move(claim), provider, 1, &node, nullptr});
  }

  Result<NodeId> take(Graph& graph, size_t provider, const NodeGroup& group, CutClaim cut) {
    ASSIGN_OR_RETURN(Node * fused, replace_by_fused_node(graph, group, cut, kInternalDomain));
    fused->set_callee(static_cast<uint32_t>(result_.partitions.size()));
    Graph* inner = cut.graph.get();
    Claim claim;
    claim.outer = &graph;
    claim.graph = std::move(cut.graph);
    claim.input_constants = std::move(cut.input_constants);
    result_.partitions.push_back({std::move(claim), provider, group.nodes.size(), fused, inner});
    return fused->id();
  }

  std::span<ExecutionProvider* const> providers_;
  const PartitionOptions& options_;
  std::map<const Graph*, std::map<NodeId, std::string>> reasons_;
};

}  // namespace

Result<PartitionResult> partition(Graph& graph, std::span<ExecutionProvider* const> providers,
                                  const PartitionOptions& options) {
  Partitioner partitioner(providers, options);
  RETURN_IF_ERROR(partitioner.partition_graph(graph));
  partitioner.list_rest(graph);
  return std::move(partitioner.result_);
}

Status name_claims(std::span<Partition> partitions, std::span<ExecutionProvider* const> providers,
                   const PartitionOptions& options) {
  int number = 0;
  for (Partition& partition : partitions) {
    Claim& claim = partition.claim;
    if (!claim.is_compiled()) continue;
    ASSIGN_OR_RETURN(const Hash128 hash,
                     partition_hash(*claim.graph, options.for_contexts, options.work));
    claim.name = str_cat(options.node_name_prefix, providers[partition.provider]->short_name(), "_",
                         hash.hex().substr(0, 16), "_", number++);
    partition.graph->name = claim.name;
    partition.node->set_name(claim.name);
    partition.node->set_op(claim.name, std::string(kInternalDomain));
  }
  return Status::ok();
}

}  // namespace ortc
