// SPDX-License-Identifier: MIT
// Transposes between values of channels-last twins and values without some axes of the image.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace ortc::cpu {

Status add_transpose(Graph& graph, const std::string& name, ValueId from, ValueId to,
                     std::vector<int64_t> perm);
// A value that a Transpose by `perm` brings into the order of `value`.
Result<ValueId> add_turned(Graph& graph, ValueId value, const std::vector<int64_t>& perm);
// A Shape of what a Transpose of `from` by `perm` would make reads `from`. False, and nothing is
// done, for other nodes.
Result<bool> take_shape_of(Graph& graph, NodeId id, ValueId from, std::span<const int64_t> perm);
// Makes `to` by a Transpose of `from`. Readers that would undo that or ask for the shape
// read `from`, and the Transpose is left out where nobody else reads.
Status turn_back(Graph& graph, ValueId from, ValueId to, const std::vector<int64_t>& perm);
// Makes the twin of an image that an Unsqueeze makes of a line [n, c, w], or a Reshape of all
// pixels in a line: out of the line turned, or what it was before. False, and nothing is done, for
// other images.
Result<bool> turn_line(Graph& graph, const std::string& name, ValueId image, ValueId twin);
// A Reshape that brings all pixels of an image in a line [n, c, pixels] does so on the twin. False,
// and nothing is done, for other nodes.
Result<bool> join_pixels(Graph& graph, NodeId id, ValueId twin);

}  // namespace ortc::cpu
