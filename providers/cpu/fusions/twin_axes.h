// SPDX-License-Identifier: MIT
// Operators that name axes, on a channels-last twin [n,h,w,c] of an image [n,c,h,w].
#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace ortc::cpu {

inline bool is_image_axis(int64_t axis) { return axis >= -4 && axis <= 3; }
// Where the twin has an axis of the image.
int64_t twin_axis(int64_t axis);

struct TwinForm {
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
  bool gives_twin = true;  // else what the node gave: a reduction that drops the other axes
};

// Softmax and its like, reductions, ArgMax and ArgMin: the result is no larger than the input.
bool narrows_image(const Node& node);
// Resize, Upsample, Slice, Split, Pad, Expand and Tile: worth it when what follows reads twins.
bool moves_image(const Node& node);
// What such a node reads and says when its first input is `twin`; nothing where axes are only known
// in a run, or the result would have its axes in another order.
Result<std::optional<TwinForm>> form_on_twin(Graph& graph, const Node& node, ValueId twin);

}  // namespace ortc::cpu
