// SPDX-License-Identifier: MIT
// Nodes that operators of the program run. To the plan of the default provider each is a call of an
// object, as the claims of other providers are.
#pragma once

#include <memory>
#include <vector>

#include "core/provider/provider_factory.h"
#include "core/provider/runnable_operator.h"

namespace ortc {

// NOT_IMPLEMENTED for a custom operator that was made for another provider, which left the node.
Status check_custom_nodes(const Graph& graph, const ProviderFactory& rest);

struct CustomCall {
  std::shared_ptr<const ComputeObject> object;
  size_t input_count = 0, output_count = 0;
};

// Makes a kernel for each custom node that no provider took, sub-graphs included. Their callees are
// numbered from `first_callee` on, in the order of what is returned.
Result<std::vector<CustomCall>> make_custom_kernels(Graph& graph, const ProviderFactory& rest,
                                                    const CustomKernelPlace& place,
                                                    uint32_t first_callee);

}  // namespace ortc
