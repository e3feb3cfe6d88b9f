// SPDX-License-Identifier: MIT
// Lowering: a graph becomes a Plan. Fuses, chooses layouts and kernels, packs weights, orders the
// steps.
//
// The CPU provider lowers what a session keeps, the AOT provider each of its claims; both get the
// same steps for the same nodes. The result depends on graph and options only: not on time,
// addresses or the number of threads.
#pragma once

#include "core/base/log.h"
#include "core/compile/lowering_rules.h"
#include "core/graph/model.h"
#include "core/plan/plan_builder.h"
#include "core/platform/work.h"
#include "core/provider/value_memories.h"

namespace ortc {

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

}  // namespace ortc
