// SPDX-License-Identifier: MIT
// Which nodes the AOT provider can lower.
#pragma once

#include <string>

#include "core/kernel/kernel.h"

namespace ortc::aot {

// "" when the node can be compiled, else why not ("no kernel for Scan of opset 17").
std::string why_not(const Node& node, const KernelRegistry& kernels);

}  // namespace ortc::aot
