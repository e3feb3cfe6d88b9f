// SPDX-License-Identifier: MIT
// Outputs of merged models that become inputs of others: checked, so that nothing runs with values
// of another type or size than it was compiled for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// One of the models that a merged graph is made of: what its inputs and outputs are called now.
struct MergedPart {
  std::string label, stem;                     // "dec" and "dec_ctx"
  std::map<std::string, ValueId> in, out;      // by the model's own names
  std::set<std::string, std::less<>> symbols;  // its named dimensions, as they are called now
};

// "enc.y=dec.x" and the like, all at once. INVALID_ARGUMENT naming the connection: for a model, an
// output or an input that is not there, for types that do not fit, for an input that is connected
// twice, and for a dimension that has to have the size of another without anything to check it.
// INVALID_GRAPH for a cycle.
Status connect_parts(Graph& graph, const std::vector<MergedPart>& parts,
                     const std::vector<std::string>& connections);

}  // namespace ortc
