// SPDX-License-Identifier: MIT
// Shapes that values must have because of what reads them, where their producers do not tell: what
// an If or a Reshape by a computed shape gives has the rank of the convolution that reads it.
#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace ortc {

struct RequiredShape {
  Graph* graph;
  ValueId value;
  Shape shape;  // numbers where they are required, else unknown sizes
};

// Of values without a shape, in bodies too. A reader counts that runs whenever the value is there:
// then a run in which another shape comes cannot succeed. So inputs of graphs and captured values
// are left as they are, and readers of which nobody reads a result do not count.
std::vector<RequiredShape> required_shapes(Graph& graph);

}  // namespace ortc
