// SPDX-License-Identifier: MIT
// Sets that a model spells out: converters write "x is one of a, b, c" as a chain of nodes
//
//   x = a ? t : (x = b ? t : (x = c ? t : f))
//
// whose true branches share one node.
#pragma once

#include "providers/cpu/kernels/ml/tree_record.h"

namespace ortc::cpu {

// The first node of each such chain asks for the set; the others are not referred to any more.
// Indices of nodes are those of `source`, or nodes that are not there, which nothing is done about.
void join_equal_chains(TreeSource& source);

}  // namespace ortc::cpu
