// SPDX-License-Identifier: MIT
// What a provider says that wants its nodes' data channels last.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "core/base/result.h"
#include "core/provider/claim.h"

namespace ortc {

// Asked when the provider has claimed nodes of a graph: those that depend on the layout become
// nodes of the channels-last domain, and the provider is asked for the nodes of the graph once
// more. Only what it claims then is its own; the rest is as it was.
class LayoutWishes {
 public:
  virtual ~LayoutWishes() = default;
  // Whether nodes of the operator should be channels last; nothing leaves it to the runtime. ONNX's
  // domain is "".
  virtual Result<std::optional<bool>> is_wanted_last(std::string_view domain,
                                                     std::string_view op_type) = 0;
  // `claimed`: nodes of the graph that it claimed before.
  virtual Result<Capability> get_capability_again(const Graph& graph,
                                                  const std::set<NodeId>& claimed) = 0;
};

}  // namespace ortc
