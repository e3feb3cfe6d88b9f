// SPDX-License-Identifier: MIT
// The other way to run nodes on the NPU: a kernel for each, from a registry, in place of programs
// for groups of nodes.
#pragma once

#include "npu_tables.h"

namespace virtual_npu {

// Kernels for all that the NPU computes. The caller ends the registry, with ReleaseKernelRegistry,
// when the last session that uses it has ended.
OrtKernelRegistry* make_kernel_registry(const Tables& tables);

// Those for channels-last images beside them.
void add_image_kernels(const Tables& tables, OrtKernelRegistry* registry);

// Claims every node of the graph that the registry has a kernel for; with images also those that
// it would have one for, if the runtime makes them channels last.
void claim_single_nodes(const Tables& tables, const OrtGraph& graph, bool takes_images,
                        OrtEpGraphSupportInfo& info);

}  // namespace virtual_npu
