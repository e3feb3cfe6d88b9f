// SPDX-License-Identifier: MIT
// Captured graphs of libraries: see the header.
#include "core/api/plugin/capture/plugin_capture.h"

namespace ortc::api {
namespace {

constexpr uint32_t kFirstVersion = 26;  // that captures

class PluginCapture final : public GraphCapture {
 public:
  PluginCapture(std::shared_ptr<EpInstance> ep, CaptureNeeds needs)
      : ep_(std::move(ep)), needs_(needs) {}

  CaptureNeeds needs() const override { return needs_; }

  Result<bool> is_captured(int id) const override {
    ASSIGN_OR_RETURN(const auto turn, ep_->turn());
    OrtEp& ep = ep_->ep();
    return ep_->ask("IsGraphCaptured", [&] { return ep.IsGraphCaptured(&ep, id); });
  }

  Status replay(int id) override {
    ASSIGN_OR_RETURN(const auto turn, ep_->turn());
    OrtEp& ep = ep_->ep();
    return ep_->call("ReplayGraph", [&] { return ep.ReplayGraph(&ep, id); });
  }

  Status release(int id) override {
    OrtEp& ep = ep_->ep();
    const auto release = ORTC_SINCE(ep, 27, ReleaseCapturedGraph);
    if (release == nullptr) return Status::ok();
    ASSIGN_OR_RETURN(const auto turn, ep_->turn());
    return ep_->call("ReleaseCapturedGraph", [&] { return release(&ep, id); });
  }

 private:
  std::shared_ptr<EpInstance> ep_;
  CaptureNeeds needs_;
};

Result<CaptureNeeds> needs_of(const EpInstance& instance) {
  OrtEp& ep = instance.ep();
  if (ep.GetGraphCaptureNodeAssignmentPolicy == nullptr) return CaptureNeeds::kAllNodes;
  ASSIGN_OR_RETURN(const int32_t number, instance.ask("GetGraphCaptureNodeAssignmentPolicy", [&] {
    const auto policy = ep.GetGraphCaptureNodeAssignmentPolicy(&ep);
    return static_cast<int32_t>(number_of(policy));
  }));
  if (number == OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP) return CaptureNeeds::kAllNodes;
  if (number == OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES) {
    return CaptureNeeds::kAllButHostOnes;
  }
  return make_status(Code::kEpFail, instance.label("GetGraphCaptureNodeAssignmentPolicy"), " gave ",
                     number, ", expected a value of OrtGraphCaptureNodeAssignmentPolicy");
}

}  // namespace

Result<std::unique_ptr<GraphCapture>> make_plugin_capture(std::shared_ptr<EpInstance> ep) {
  OrtEp& plugin = ep->ep();
  const auto ask = ORTC_SINCE(plugin, kFirstVersion, IsGraphCaptureEnabled);
  if (ask == nullptr) return std::unique_ptr<GraphCapture>();
  ASSIGN_OR_RETURN(const bool captures,
                   ep->ask("IsGraphCaptureEnabled", [&] { return ask(&plugin); }));
  if (!captures) return std::unique_ptr<GraphCapture>();
  if (plugin.IsGraphCaptured == nullptr || plugin.ReplayGraph == nullptr) {
    ORTC_LOG(ep->logger(), kWarning, "session", ep->label("IsGraphCaptureEnabled"),
             " says yes, but IsGraphCaptured or ReplayGraph is missing: nothing is captured");
    return std::unique_ptr<GraphCapture>();
  }
  ASSIGN_OR_RETURN(const CaptureNeeds needs, needs_of(*ep));
  return std::unique_ptr<GraphCapture>(std::make_unique<PluginCapture>(std::move(ep), needs));
}

}  // namespace ortc::api
