// SPDX-License-Identifier: MIT
// Operators that name axes, on twins whose axes lie elsewhere: channels-last twins [n,h,w,c] of
// images [n,c,h,w], and images of one row [n,c,1,w] of lines [n,c,w].
#pragma once

#include <array>
#include <optional>

#include "core/graph/graph.h"

namespace ortc::cpu {

// Where a twin has the axes of its original.
struct TwinAxes {
  int64_t rank;  // of the original
  std::array<int64_t, 4> place;
  std::optional<int64_t> added;  // an axis of one that only the twin has

  bool has(int64_t axis) const { return axis >= -rank && axis < rank; }
  int64_t of(int64_t axis) const {
    return place[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  }
};
inline constexpr TwinAxes kChannelsLastAxes = {4, {0, 3, 1, 2}, std::nullopt};
inline constexpr TwinAxes kLineAxes = {3, {0, 1, 3}, 2};

struct TwinForm {
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
  bool gives_twin = true;  // else what the node gave, without the axes that it drops
  // How a Transpose brings what is given then into the order of what the node gave; empty: it is.
  std::vector<int64_t> turn = {};
};

// Softmax and its like, reductions, ArgMax, ArgMin, Squeeze: the result is no larger than the
// input.
bool narrows_image(const Node& node);
// Resize, Upsample, Slice, Split, Pad, Expand and Tile: worth it when what follows reads twins.
bool moves_image(const Node& node);
// What such a node reads and says when its first input is `twin`; nothing where axes are only known
// in a run.
Result<std::optional<TwinForm>> form_on_twin(Graph& graph, const Node& node, ValueId twin,
                                             const TwinAxes& axes);

}  // namespace ortc::cpu
