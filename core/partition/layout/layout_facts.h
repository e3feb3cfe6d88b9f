// SPDX-License-Identifier: MIT
// Channels first and channels last: permutations, types and constants.
//
// Of a value of rank 3 and more, axis 1 is the channels' when it is channels first, and the last
// axis when it is channels last. At lower ranks both are the same.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

inline constexpr size_t kLeastLayoutRank = 3;

// As Transpose's "perm".
std::vector<int64_t> perm_to_last(size_t rank);
std::vector<int64_t> perm_to_first(size_t rank);

// Where an axis, counted from the front, comes to stand when a channels-first value becomes
// channels last.
int64_t axis_in_last(int64_t axis, size_t rank);

// The type in the other layout; the rank is known.
Type permuted(const Type& type, const std::vector<int64_t>& perm);

// The tensor, seen as one of `perm.size()` axes with ones in front, in the other layout. Nothing
// for strings and elements that share a byte.
std::optional<Tensor> permuted(const Tensor& tensor, const std::vector<int64_t>& perm);

// A tensor of one axis, with a number for each axis of a value, for the value in the other layout.
Tensor reordered(const Tensor& numbers, const std::vector<int64_t>& perm);

}  // namespace ortc
