// SPDX-License-Identifier: MIT
// Nodes that a library's provider claimed as they are.
#pragma once

#include "core/api/plugin/kernels/kernel_object.h"

namespace ortc::api {

// What runs the node: the kernel that the library registered, or that of its custom operator. Null
// unless it is to run. NOT_IMPLEMENTED when there is neither.
Result<std::shared_ptr<const ComputeObject>> make_single_node(const KernelPlace& place,
                                                              const Node& node, bool to_run);

}  // namespace ortc::api
