// SPDX-License-Identifier: MIT
// Assigns nodes to providers: each is asked in the user's order for what it can run; the default
// provider gets the rest.
//
// A provider that is asked from the outer graph inwards may take an If, Loop or Scan whole; only
// the bodies of those that none took are partitioned themselves. One that is asked inner graphs
// first sees bodies before their owners, and an owner with something claimed in its body stays.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/graph/model.h"
#include "core/platform/work.h"
#include "core/provider/execution_provider.h"

namespace ortc {

// Groups the nodes of `graph` that `is_supported` accepts into maximal convex groups (connected
// parts only).
Result<std::vector<NodeGroup>> convex_groups(const Graph& graph,
                                             const std::function<bool(const Node&)>& is_supported);

// A claim and who has it. Its number in the list is the callee() of the node that stands for it: a
// fused node of kInternalDomain, or the EPContext or single node itself. A node that has a callee
// and bodies is an If, Loop or Scan whose bodies the runtime runs.
struct Partition {
  Claim claim;
  size_t provider = 0;     // index in the list that was given
  size_t node_count = 0;   // nodes that it replaces
  Node* node = nullptr;    // that stands for it
  Graph* graph = nullptr;  // the claim's own, while it has no name
};

// One line of `explain`: a node that is left to the default provider, and why the others refused.
struct Assignment {
  std::string node;
  std::string op_type;
  std::string reason;
};

struct PartitionResult {
  std::vector<Partition> partitions;
  std::vector<Assignment> assignments;
};

struct PartitionOptions {
  std::string node_name_prefix;  // ep.context_node_name_prefix
  // Claims will be EPContext nodes of a model that is written. What crosses their borders must be
  // what such a node may have, and their names tell partitions apart that differ in the bytes of
  // constants only, which costs reading all weights.
  bool for_contexts = false;
  bool leave_constants = false;  // no claim takes constants, whatever its provider says
  Logger logger;
  Work work;  // hashing of weights
};

// Claims have no names yet.
Result<PartitionResult> partition(Graph& graph, std::span<ExecutionProvider* const> providers,
                                  const PartitionOptions& options);

// Names each claim, its graph and the node that stands for it
// "<prefix>AOT_<hash of the partition>_<n>": the same for the same model and options. Nodes that
// stay as they are have names already. Fails only when the work is stopped.
Status name_claims(std::span<Partition> partitions, std::span<ExecutionProvider* const> providers,
                   const PartitionOptions& options);

// A hash of nodes, attributes, types and shapes. With `for_contexts` also of what a context holds
// besides: the bytes of constants, and names, so that two parts of one file have one name only
// when they are one part. Fails only when the work is stopped.
Result<Hash128> partition_hash(const Graph& graph, bool for_contexts, Work work = {});

}  // namespace ortc
