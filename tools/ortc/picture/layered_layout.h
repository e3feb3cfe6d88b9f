// SPDX-License-Identifier: MIT
// Places for the boxes of a graph without cycles: in layers from top to bottom, each box below all
// that it reads, with few crossings and edges as straight as they can be.
#pragma once

#include <cstddef>
#include <vector>

namespace ortc::tool {

struct Point {
  double x = 0, y = 0;
};

struct LayoutBox {
  double width = 0, height = 0;
  Point center = {};
  size_t layer = 0;
};

// From a box to one with a higher number.
struct LayoutEdge {
  size_t from = 0, to = 0;
  std::vector<Point> points = {};  // from the lower edge of `from` to the upper edge of `to`
};

struct Layout {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
  double width = 0, height = 0;
};

// Fills in what is not given: centers, layers, points and the size of all. The same boxes and edges
// get the same places everywhere.
void arrange(Layout& layout);

}  // namespace ortc::tool
