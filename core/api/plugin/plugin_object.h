// SPDX-License-Identifier: MIT
// What a library compiled: its OrtNodeComputeInfos, given back together, and one of them as a
// ComputeObject.
#pragma once

#include <memory>
#include <vector>

#include "core/api/kernel/kernel_context.h"
#include "core/api/plugin/ep_instance.h"
#include "core/api/plugin/memory/plugin_memory.h"
#include "core/api/plugin/plugin_views.h"
#include "core/api/plugin/support_info.h"

namespace ortc::api {

class ComputeInfos {
 public:
  ComputeInfos(std::shared_ptr<EpInstance> ep, std::vector<OrtNodeComputeInfo*> infos,
               std::vector<std::unique_ptr<ShownClaim>> claims)
      : ep_(std::move(ep)), infos_(std::move(infos)), claims_(std::move(claims)) {}
  ~ComputeInfos();
  ComputeInfos(const ComputeInfos&) = delete;
  ComputeInfos& operator=(const ComputeInfos&) = delete;

  // EP_FAIL names what is missing in info i.
  Status check(size_t i, std::string_view claim) const;
  OrtNodeComputeInfo& info(size_t i) const { return *infos_[i]; }
  const OrtNode& fused_node(size_t i) const { return *claims_[i]->fused_node(); }
  EpInstance& ep() const { return *ep_; }

 private:
  std::shared_ptr<EpInstance> ep_;
  std::vector<OrtNodeComputeInfo*> infos_;
  std::vector<std::unique_ptr<ShownClaim>> claims_;  // libraries keep pointers to their nodes
};

// Info i, with a state of its own.
Result<std::shared_ptr<const ComputeObject>> make_plugin_object(
    std::shared_ptr<const ComputeInfos> infos, size_t i, const std::string& claim,
    const PluginMemories& memories);

}  // namespace ortc::api
