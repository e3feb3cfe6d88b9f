// SPDX-License-Identifier: MIT
// What a picture of a model needs: which node reads what of which, and which tensors of which files
// its graphs use.
#pragma once

#include "core/base/json_writer.h"
#include "core/context/context_source.h"
#include "core/graph/graph.h"

namespace ortc {

// The member "structure":
//
//   inputs           of the main graph, those that have to be given
//   nodes            of the main graph, makers before readers: name, op, reads (each the value and
//                    the number of its node or graph input), gives, weight_bytes, nodes_in_bodies,
//                    contexts (number and graph; those in bodies too), source of an EPContext node
//   outputs          each the value and the number of its node or graph input
//   contexts         each once, by number: file or node, its tensors by number
//   stored_weights   initializers in files: name, file, offset, bytes
//
// A context that cannot be opened is left out; the verdict of its node says why.
Status write_structure(JsonWriter& json, const Graph& graph, ModelContextSource& contexts);

}  // namespace ortc
