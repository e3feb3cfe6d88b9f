// SPDX-License-Identifier: MIT
// Nodes that operators of the program run: each becomes a part of the compiled model, behind those
// of the partitions, and the default provider's plan calls it.
#pragma once

#include "core/session/compiled_model.h"

namespace ortc {

// NOT_IMPLEMENTED for a custom operator that was made for another provider, which left the node.
Status check_custom_nodes(const Graph& graph, const ProviderFactory& rest);

// Makes a kernel for each custom node that no provider took, sub-graphs included.
Status compile_custom_nodes(Graph& graph, const ProviderFactory& rest, const Making& making,
                            CompiledModel& compiled);

}  // namespace ortc
