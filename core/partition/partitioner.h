// SPDX-License-Identifier: MIT
// Assigns nodes to providers: each is asked in the user's order, takes maximal convex groups of
// what it can run, and the CPU provider gets the rest.
//
// Works from the outer graph inwards: a provider that takes an If, Loop or Scan takes it whole;
// only the bodies of those that nobody took are partitioned themselves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/graph/model.h"
#include "core/provider/execution_provider.h"

namespace ortc {

// Groups the nodes of `graph` that `is_supported` accepts into maximal convex groups (connected
// parts only).
Result<std::vector<NodeGroup>> convex_groups(const Graph& graph,
                                             const std::function<bool(const Node&)>& is_supported);

// What became of one claim.
struct Partition {
  Claim claim;
  size_t provider = 0;     // index in the list that was given
  Graph* place = nullptr;  // the graph in which the fused node stands
  NodeId fused_node = kNoNode;
  size_t node_count = 0;  // nodes that it replaces
};

// One line of `explain`: a node that stays on the CPU provider, and why the others refused.
struct Assignment {
  std::string node;
  std::string op_type;
  std::string provider;
  std::string reason;
};

struct PartitionResult {
  std::vector<Partition> partitions;
  std::vector<Assignment> assignments;
};

struct PartitionOptions {
  std::string node_name_prefix;  // ep.context_node_name_prefix
  bool hash_weights = false;     // names differ where weights differ: for contexts that are written
  Logger logger;
};

// The domain of fused nodes is kInternalDomain, the operator the claim's name. A claim that is
// a single EPContext node keeps its node; Partition::fused_node is then that node. Claim names are
// "<prefix>AOT_<hash of the partition>_<n>": the same for the same model and options.
Result<PartitionResult> partition(Graph& graph, std::span<ExecutionProvider* const> providers,
                                  const PartitionOptions& options);

// A hash of nodes, attributes, types and shapes; not of names. `with_weights`: of the bytes of
// constants too, those of tensors in attributes among them, which takes a pass over them.
Hash128 partition_hash(const Graph& graph, bool with_weights);

}  // namespace ortc
