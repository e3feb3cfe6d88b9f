// SPDX-License-Identifier: MIT
// What a provider hands to lowering: its kernels and the rewrites that come before.
#pragma once

#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/graph/graph.h"
#include "core/kernel/evaluator.h"

namespace ortc {

// A rewrite of the second half: standard ONNX in, operators of kInternalDomain out. Works on one
// graph and says how often it matched.
struct Fusion {
  std::string_view name;
  Result<int> (*run)(Graph& graph, const KernelRegistry& kernels);
};

// What a provider lowers with. Lives as long as the library.
struct LoweringRules {
  const KernelRegistry& kernels;
  std::span<const Fusion> fusions;  // in the order in which they run
  // True for a node without a kernel of its own that a fusion turns into nodes that have one.
  bool (*is_rewritten)(const Node& node);
};

}  // namespace ortc
