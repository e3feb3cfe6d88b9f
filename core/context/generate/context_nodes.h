// SPDX-License-Identifier: MIT
// Puts the EPContext nodes that providers made in the place of their claims, as the providers made
// them, and adds what ties a node to the context that is written with it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/context/generate/provider_sink.h"
#include "core/partition/partitioner.h"

namespace ortc {

// A node that a provider made, and where its contexts went.
struct MadeNode {
  const Node* node;
  const ProviderSink* sink;
};
using MadeNodes = std::vector<std::map<std::string, MadeNode, std::less<>>>;  // by provider, name

// `graph` is a copy of the partitioned one. EP_FAIL when a provider made no node for a claim, FAIL
// when the node has other inputs and outputs than the claim; both name the provider.
Status place_context_nodes(Graph& graph, std::span<const Partition> partitions,
                           std::span<ExecutionProvider* const> providers, const MadeNodes& made);

}  // namespace ortc
