// SPDX-License-Identifier: MIT
// The layout of data that a library asks for: GetPreferredDataLayout and
// ShouldConvertDataLayoutForOp of its OrtEp.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/api/plugin/ep_instance.h"
#include "core/provider/layout_wishes.h"

namespace ortc::api {

class PluginLayout final : public LayoutWishes {
 public:
  using AskForNodes = std::function<Result<Capability>(const Graph&, const std::set<NodeId>&)>;
  PluginLayout(std::shared_ptr<EpInstance> instance, AskForNodes ask_for_nodes)
      : instance_(std::move(instance)), ask_for_nodes_(std::move(ask_for_nodes)) {}

  // Whether it prefers channels last; asked of the library once. EP_FAIL for what is no layout.
  Result<bool> prefers_last();

  Result<std::optional<bool>> is_wanted_last(std::string_view domain,
                                             std::string_view op_type) override;
  Result<Capability> get_capability_again(const Graph& graph,
                                          const std::set<NodeId>& claimed) override {
    return ask_for_nodes_(graph, claimed);
  }

 private:
  std::shared_ptr<EpInstance> instance_;
  AskForNodes ask_for_nodes_;
  std::optional<bool> prefers_last_;
};

}  // namespace ortc::api
