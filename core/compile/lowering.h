// SPDX-License-Identifier: MIT
// Lowering: a graph becomes a Plan. Fuses, chooses layouts and kernels, packs weights, orders the
// steps.
//
// The CPU provider lowers what a session keeps, the AOT provider each of its claims; both get the
// same steps for the same nodes. The result depends on graph and options only: not on time,
// addresses or the number of threads.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/log.h"
#include "core/graph/model.h"
#include "core/kernel/evaluator.h"
#include "core/plan/plan_builder.h"
#include "core/platform/work.h"
#include "core/provider/value_memories.h"

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

struct LoweringOptions {
  const LoweringRules* rules = nullptr;
  Logger logger;
  Work work;                                // nodes, and bytes of the constants that they read
  const ValueMemories* memories = nullptr;  // of the callees; null: all on the host
  bool fuse = true;  // false: one step a node, layouts as in ONNX (for tests that compare)
};

// `graph` is left as it is. A node with a callee becomes a call of it. NOT_IMPLEMENTED names the
// operator, its opset and type when no kernel fits.
Result<PlanImage> lower(const Graph& graph, const LoweringOptions& options);
// The same for a graph that has no other owner: it is changed.
Result<PlanImage> lower_in_place(Graph& graph, const LoweringOptions& options);

// What lowering a graph is expected to take, in units of Work.
uint64_t lowering_units(const Graph& graph);

// Why the node cannot be lowered ("no kernel for Scan of opset 17 on float32[3]"); "" when it can.
// Looks at the node alone, not at its bodies.
std::string why_not_lowered(const Node& node, const LoweringRules& rules);
// NOT_IMPLEMENTED for the first node, bodies included, that cannot be lowered: the answer of
// lower() without its work. Nodes with a callee belong to others.
Status check_lowers(const Graph& graph, const LoweringRules& rules);

// The rewrites of the second half, in place; for tests and for explain. `graph` ends up with
// operators of kInternalDomain.
Status apply_fusions(Graph& graph, const LoweringRules& rules, const Logger& logger,
                     const Work& work = {});

}  // namespace ortc
