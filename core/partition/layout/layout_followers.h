// SPDX-License-Identifier: MIT
// Nodes that compute the same channels last when what they read is channels last: elementwise
// operators, whose Transposes go to the other side so, and Concat.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// How a node would read channels-last values.
struct FollowPlan {
  enum class Input : uint8_t {
    kAsIs,      // no value, or one that no layout changes
    kTwin,      // its channels-last twin
    kConstant,  // the constant, permuted
  };
  std::vector<Input> inputs;
  std::optional<int64_t> axis;  // of Concat, afterwards
  size_t rank = 0;
};

// Nothing when it cannot be, or not for certain.
std::optional<FollowPlan> plan_to_follow(const Graph& graph, const Node& node);

}  // namespace ortc
