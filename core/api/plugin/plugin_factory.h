// SPDX-License-Identifier: MIT
// A factory of a library as a ProviderFactory: what it said of itself and its devices when it was
// registered, and providers for sessions.
#pragma once

#include "core/api/env/device_handles.h"
#include "core/api/plugin/memory/plugin_transfer.h"
#include "core/api/plugin/plugin_library.h"
#include "core/provider/provider_factory.h"

namespace ortc::api {

class PluginFactory final : public ProviderFactory,
                            public std::enable_shared_from_this<PluginFactory> {
 public:
  // Asks it everything that does not change. `hardware`: of this machine, as the library is to see
  // it. EP_FAIL, naming the function, for answers that are impossible.
  static Result<std::shared_ptr<const PluginFactory>> create(
      std::shared_ptr<const PluginLibrary> library, OrtEpFactory& factory,
      std::span<const OrtHardwareDevice* const> hardware);

  std::string_view name() const override { return name_; }
  std::string_view vendor() const override { return vendor_; }
  std::string_view version() const override { return version_; }
  uint32_t vendor_id() const override { return vendor_id_; }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>>) const override {
    return chosen({});
  }
  // The library judges them when a provider is made.
  Status check_options(const KeyValues&) const override { return Status::ok(); }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                  const Logger& logger) const override;
  Result<std::unique_ptr<ExecutionProvider>> make_for(const ProviderRequest& request,
                                                      const KeyValues& options,
                                                      const Logger& logger) const override;
  const CustomOperators* custom_operators() const override { return custom_operators_.get(); }
  Compatibility judge(std::string_view info, std::string* reason) const override;
  Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>> devices,
                                  std::string_view info, std::string* reason) const override;
  Result<Incompatibility> incompatibility(
      const std::shared_ptr<const HardwareDevice>& hardware) const override;
  Result<std::optional<size_t>> choose_candidate(
      const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
      const SessionOptions* session_options) const override;

  OrtEpFactory& plugin() const { return *factory_; }
  // Null when it has none.
  const PluginTransfer* transfer() const { return transfer_.get(); }
  bool is_stream_aware() const { return is_stream_aware_; }
  const PluginLibrary& library() const { return *library_; }
  // "MyEp: GetVersion"
  std::string label(std::string_view function) const;
  // The devices that were chosen, or all of its own, with what is said of each by now.
  std::vector<DeviceOffer> chosen(std::span<const std::shared_ptr<const EpDevice>> devices) const;

  // The handle by which the library told of that memory, for it may know it by its address.
  const OrtMemoryInfo& as_told(const OrtMemoryInfo& memory) const;

 private:
  PluginFactory(std::shared_ptr<const PluginLibrary> library, OrtEpFactory& factory)
      : library_(std::move(library)), factory_(&factory) {}
  Status read_texts();
  Status read_devices(std::span<const OrtHardwareDevice* const> hardware);
  Status check_device(std::span<OrtEpDevice* const> made, size_t i) const;
  Status take_device(const std::shared_ptr<OrtEpDevice>& made);
  std::string build_of_library() const;
  Status read_memories();
  Status read_custom_operators();

  std::shared_ptr<const PluginLibrary> library_;
  OrtEpFactory* factory_;
  std::string name_ = "a factory", vendor_, version_;
  uint32_t vendor_id_ = 0;
  std::vector<DeviceOffer> offers_;
  std::shared_ptr<const CustomOperators> custom_operators_;  // null: none
  std::unique_ptr<const PluginTransfer> transfer_;
  bool is_stream_aware_ = false;
};

}  // namespace ortc::api
