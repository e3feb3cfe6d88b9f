// SPDX-License-Identifier: MIT
// Profilers of libraries: see the header. Whatever fails in one is logged and changes nothing else.
#include "core/api/plugin/profiling/plugin_profiler.h"

#include "core/api/plugin/profiling/profiling_handles.h"

namespace ortc::api {
namespace {

constexpr uint32_t kFirstVersion = 25;  // that has profilers

class PluginProfiler final : public ProviderProfiler {
 public:
  PluginProfiler(std::shared_ptr<const EpInstance> ep, OrtEpProfilerImpl& impl)
      : ep_(std::move(ep)), impl_(impl) {}
  ~PluginProfiler() override {
    if (impl_.Release == nullptr) return;
    const PluginLibrary::Scope scope(ep_->factory().library());
    end_plugin([&] { impl_.Release(&impl_); });
  }

  Status check() const {
    if (impl_.Release != nullptr && impl_.StartProfiling != nullptr &&
        impl_.EndProfiling != nullptr) {
      return Status::ok();
    }
    return make_status(Code::kEpFail, ep_->label("CreateProfiler"),
                       " gave an OrtEpProfilerImpl that lacks one of its functions");
  }

  bool start(int64_t offset_ns) override {
    return is_done("StartProfiling", [&] { return impl_.StartProfiling(&impl_, offset_ns); });
  }
  void begin_event(uint64_t id) override {
    if (impl_.StartEvent == nullptr) return;
    is_done("StartEvent", [&] { return impl_.StartEvent(&impl_, id); });
  }
  void end_event(uint64_t id, const ProfileEvent& event) override {
    if (impl_.StopEvent == nullptr) return;
    const OrtProfilingEvent seen{event};
    is_done("StopEvent", [&] { return impl_.StopEvent(&impl_, id, &seen); });
  }
  std::vector<ProfileEvent> end() override {
    OrtProfilingEventsContainer container;
    if (!is_done("EndProfiling", [&] { return impl_.EndProfiling(&impl_, &container); })) return {};
    return std::move(container.events);
  }

 private:
  template <typename Call>
  bool is_done(std::string_view function, Call&& body) const {
    const Status status = ep_->call(function, body);
    if (!status.is_ok()) ORTC_LOG(ep_->logger(), kError, "profile", status.message());
    return status.is_ok();
  }

  std::shared_ptr<const EpInstance> ep_;
  OrtEpProfilerImpl& impl_;
};

Result<std::unique_ptr<ProviderProfiler>> create(std::shared_ptr<const EpInstance> ep) {
  const auto make = ORTC_SINCE(ep->ep(), kFirstVersion, CreateProfiler);
  if (make == nullptr) return std::unique_ptr<ProviderProfiler>();
  OrtEpProfilerImpl* impl = nullptr;
  RETURN_IF_ERROR(ep->call("CreateProfiler", [&] { return make(&ep->ep(), &impl); }));
  if (impl == nullptr) return std::unique_ptr<ProviderProfiler>();
  if (impl->ort_version_supported < kFirstVersion) {  // not even Release is there
    return make_status(Code::kEpFail, ep->label("CreateProfiler"),
                       " gave an OrtEpProfilerImpl of version ", impl->ort_version_supported,
                       ", expected ", kFirstVersion, " or more");
  }
  auto made = std::make_unique<PluginProfiler>(std::move(ep), *impl);
  RETURN_IF_ERROR(made->check());
  return std::unique_ptr<ProviderProfiler>(std::move(made));
}

}  // namespace

std::unique_ptr<ProviderProfiler> make_plugin_profiler(std::shared_ptr<const EpInstance> ep) {
  const Logger& logger = ep->logger();
  auto made = create(ep);
  if (made.is_ok()) return std::move(made.value());
  ORTC_LOG(logger, kError, "profile", made.status().message());
  return nullptr;
}

}  // namespace ortc::api
