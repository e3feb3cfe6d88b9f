// SPDX-License-Identifier: MIT
// Axes of images: see the header.
#include "core/optimise/image_axes.h"

#include <algorithm>
#include <numeric>

#include "core/rewrite/facts.h"

namespace ortc {
namespace {

using MaybeAxes = std::optional<ImageAxes>;

// Which places of a value of `rank` axes are named; nothing when one is named twice or is none.
std::optional<std::vector<bool>> named_places(const Node& node, size_t rank) {
  const auto axes = axes_of(node);
  if (!axes || axes->empty()) return std::nullopt;
  std::vector<bool> is_named(rank);
  for (int64_t axis : *axes) {
    if (axis < 0) axis += static_cast<int64_t>(rank);
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
    const auto place = static_cast<size_t>(axis);
    if (is_named[place]) return std::nullopt;
    is_named[place] = true;
  }
  return is_named;
}

MaybeAxes behind_transpose(const Node& node, const ImageAxes& axes) {
  const auto perm = permutation_of(node);
  if (!perm || perm->size() != axes.size()) return std::nullopt;
  ImageAxes turned;
  for (const int64_t axis : *perm) turned.push_back(axes[static_cast<size_t>(axis)]);
  return turned;
}

// What goes must be 1 for certain: else this is where a run is refused.
MaybeAxes behind_squeeze(const Node& node, const ImageAxes& axes) {
  const auto is_named = named_places(node, axes.size());
  const Shape* shape = known_shape(*node.graph(), node.input(0));
  if (!is_named || shape == nullptr || shape->size() != axes.size()) return std::nullopt;
  ImageAxes left;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!(*is_named)[i]) {
      left.push_back(axes[i]);
    } else if ((*shape)[i].value != 1) {
      return std::nullopt;
    }
  }
  return left;
}

MaybeAxes behind_unsqueeze(const Node& node, const ImageAxes& axes, size_t rank) {
  const ImageAxes missing = missing_axes(axes, rank);
  const auto added = axes_of(node);
  if (!added || added->size() > missing.size()) return std::nullopt;
  const auto is_named = named_places(node, axes.size() + added->size());
  if (!is_named) return std::nullopt;
  ImageAxes widened;
  auto next_new = missing.begin(), next = axes.begin();
  for (const bool is_new : *is_named) widened.push_back(is_new ? *next_new++ : *next++);
  return widened;
}

}  // namespace

ImageAxes all_axes_of(size_t rank) {
  ImageAxes axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

MaybeAxes axes_behind(const Node& node, const ImageAxes& axes, size_t rank) {
  MaybeAxes behind;
  if (node.is_op("Transpose")) behind = behind_transpose(node, axes);
  if (node.is_op("Squeeze")) behind = behind_squeeze(node, axes);
  if (node.is_op("Unsqueeze")) behind = behind_unsqueeze(node, axes, rank);
  // A file may name an axis twice.
  if (behind && missing_axes(*behind, rank).size() + behind->size() != rank) return std::nullopt;
  return behind;
}

ImageAxes missing_axes(const ImageAxes& axes, size_t rank) {
  ImageAxes missing;
  for (const int64_t axis : all_axes_of(rank)) {
    if (std::ranges::find(axes, axis) == axes.end()) missing.push_back(axis);
  }
  return missing;
}

std::vector<int64_t> order_of_axes(const ImageAxes& axes) {
  ImageAxes sorted = axes;
  std::ranges::sort(sorted);
  std::vector<int64_t> order;
  for (const int64_t axis : axes) {
    order.push_back(std::ranges::find(sorted, axis) - sorted.begin());
  }
  return order;
}

}  // namespace ortc
