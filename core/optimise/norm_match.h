// SPDX-License-Identifier: MIT
// What LayerNormalization and RMSNormalization have in common when exporters spell them out: the
// root of the mean square over the last axis, and a constant vector as long as that axis.
#pragma once

#include <optional>
#include <string_view>

#include "core/graph/graph.h"
#include "core/rewrite/facts.h"

namespace ortc {

// The statistics are computed in float32: what was double would lose precision.
inline constexpr TypeMask kNormTypes = mask_of(DType::kFloat32, DType::kFloat16);

// A ReduceMean over the last axis that keeps it.
bool is_last_axis_mean(const Graph& graph, const Node* node);

// epsilon when `root` is Sqrt(ReduceMean(d^2) + epsilon) and nothing else reads what is between.
// d^2 is Pow(d, 2) or d * d.
std::optional<float> epsilon_of_root(Graph& graph, ValueId root, ValueId d);

// The node after `id` that combines it with a constant vector as long as the last axis of x; null
// when there is none.
const Node* vector_node(Graph& graph, ValueId id, std::string_view op, ValueId x);

}  // namespace ortc
