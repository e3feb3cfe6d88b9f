// SPDX-License-Identifier: MIT
// The first half of the optimiser: rewrites whose result is standard ONNX, before the graph is
// partitioned.
//
// Every pass has a name, can be switched off by it (optimization.disable_specified_optimizers), is
// timed, and the graph is verified after it in debug builds.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/graph/model.h"
#include "core/kernel/evaluator.h"
#include "core/optimise/budget.h"
#include "core/options/settings.h"
#include "core/platform/work.h"

namespace ortc {

struct OptimiseOptions {
  OptimisationLevel level = OptimisationLevel::kAll;
  std::set<std::string> disabled_passes;
  uint64_t folded_bytes_max = uint64_t{1} << 30;  // a folded constant is never larger
  bool lenient_shapes = false;                    // as in InferOptions
  Logger logger;
  Work work;  // a unit for each pass of a round; may be stopped between nodes that are folded
};

struct PassReport {
  std::string name;
  int64_t duration_ns = 0;
  int rewrites = 0;
};

// A pass: rewrites what it finds in one graph (not its sub-graphs) and says how often.
struct Pass {
  std::string_view name;
  OptimisationLevel level;
  Result<int> (*run)(Graph& graph, const struct PassContext& context);
};
struct PassContext {
  const Evaluator& evaluator;
  const OptimiseOptions& options;
  Budget& budget;  // that is left
};

std::span<const Pass> graph_passes();  // in the order in which they run

// Runs the passes of the level on the model's graph and all sub-graphs, until nothing changes (at
// most a fixed number of rounds), inferring types where needed. The graph must have been inferred
// before.
Result<std::vector<PassReport>> optimise(Model& model, const Evaluator& evaluator,
                                         const OptimiseOptions& options);

}  // namespace ortc
