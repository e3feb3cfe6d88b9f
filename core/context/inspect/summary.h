// SPDX-License-Identifier: MIT
// What a model costs, node by node: parameters, arithmetic, memory.
#pragma once

#include "core/base/json_writer.h"
#include "core/context/context_source.h"
#include "core/graph/model.h"

namespace ortc {

// A member "summary" of the open object: totals and one row for each node of the main graph, of
// sub-graphs after the node that has them. Dimensions that inputs leave open count as 1;
// "assumed_dimensions" names them. `operations` (a multiplication and an addition are two) is null
// where sizes or the operator are not known, in contexts above all. Parameters that several nodes
// read count for each of them, and once in the totals.
void write_summary(JsonWriter& json, const Model& model, ContextSource& contexts);

}  // namespace ortc
