// SPDX-License-Identifier: MIT
// What a file says of sizes, before inference looks at it.
#pragma once

#include <cstdint>

#include "core/graph/graph.h"
#include "core/ops/infer.h"

namespace ortc {

// Symbols of the model's inputs stay, those of other values are only shown from here on: equal
// names do not make them equal sizes (core/graph/symbol/symbol.h).
void set_declared_symbols_apart(Graph& graph);

// The session's numbers in the place of symbols of the model's inputs, and of denotations anywhere.
void put_given_numbers(Graph& graph, const InferOptions& options);

// The largest number of a sub-graph in symbols that were made before; 0 when there is none.
int64_t last_graph_number(const Graph& graph);

}  // namespace ortc
