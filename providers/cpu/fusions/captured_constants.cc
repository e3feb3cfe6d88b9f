// SPDX-License-Identifier: MIT
// Constants that a body takes from an enclosing graph become constants of the body: what packs
// weights or looks at numbers then need not look outside. No byte moves, both share the tensor, and
// weights that several bodies pack alike are one in the plan.
//
//   body of If: w, a capture of the initializer w -> Conv       becomes  initializer w' -> Conv
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

// The value that has the constant, which `constant_of` found.
const Value& origin_of(const Graph& graph, ValueId id) {
  const Graph* place = &graph;
  const Value* value = place->value(id);
  while (value->is_captured()) {
    const ValueId outer = value->outer_value;
    place = place->parent();
    value = place->value(outer);
  }
  return *value;
}

}  // namespace

Result<int> captured_constants(Graph& graph, const KernelRegistry&) {
  int matches = 0;
  const size_t bound = graph.value_bound();
  for (ValueId id = 0; id < bound; ++id) {
    const Value* captured = graph.value(id);
    if (captured == nullptr || !captured->is_captured() || captured->is_output ||
        constant_of(graph, id) == nullptr) {
      continue;
    }
    ASSIGN_OR_RETURN(const ValueId here,
                     graph.add_value(graph.unique_name(captured->name), captured->type));
    graph.set_initializer(here, origin_of(graph, id).initializer);
    if (!graph.replace_uses(id, here)) continue;
    graph.remove_value(id);
    ++matches;
  }
  return matches;
}

}  // namespace ortc::cpu
