// SPDX-License-Identifier: MIT
// Rewrites in which values of one spatial axis have images of one row as twins; the ways there and
// back are views.
#pragma once

#include "providers/cpu/fusions/twin_rewrite.h"

namespace ortc::cpu {

class LineRewrite : protected TwinRewrite {
 protected:
  explicit LineRewrite(Graph& graph) : TwinRewrite(graph, "/image", 3) {}
  ~LineRewrite() = default;

  // Converts what can be, node by node in their order; gives how many were.
  Result<int> run();
  virtual Result<bool> convert(const Node& node) = 0;

  Shape twin_shape(const Shape& s) const override { return Shape{s[0], s[1], Dim::known(1), s[2]}; }
  Status add_way_there(ValueId original, ValueId twin) override {
    return add_view("Unsqueeze", original, twin);
  }
  Status add_way_back(ValueId twin, ValueId original) override {
    return add_view("Squeeze", twin, original);
  }

  // The attributes of windows over one axis, for images of one row.
  static std::vector<Attribute> for_images(const Node& node);

 private:
  Status add_view(std::string op, ValueId from, ValueId to);
};

}  // namespace ortc::cpu
