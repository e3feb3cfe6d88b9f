// SPDX-License-Identifier: MIT
// The AOT provider's factory: see the header.
#include "providers/aot/aot_factory.h"

#include "core/base/version.h"
#include "core/platform/target_list.h"
#include "core/provider/registry.h"
#include "providers/aot/aot_options.h"
#include "providers/aot/aot_provider.h"
#include "providers/aot/compatibility.h"
#include "providers/aot/target.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::aot {
namespace {

// What a program may choose to compile for as if it were there.
constexpr std::string_view kVirtualDevices[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};

DeviceOffer virtual_device(std::string_view target) {
  auto hardware = std::make_shared<HardwareDevice>();
  hardware->metadata = {{"is_virtual", "1"}, {"target", std::string(target)}};
  return {hardware,
          {{"version", std::string(kLibraryVersion)}, {"target", std::string(target)}},
          {{"target", std::string(target)}}};
}

// Several devices of a session are one compilation for all of them, unless the program gave a
// target of its own: theirs is what the first virtual one suggests.
std::string targets_of(std::span<const std::shared_ptr<const EpDevice>> devices,
                       const std::string& given) {
  std::string targets;
  std::string_view suggested;
  for (const auto& device : devices) {
    const auto target = device->options.find("target");
    const bool is_virtual = target != device->options.end();
    if (is_virtual && suggested.empty()) suggested = target->second;
    targets += str_cat(targets.empty() ? "" : ";", is_virtual ? target->second : "host");
  }
  return given == suggested && !suggested.empty() ? targets : given;
}

class AotFactory final : public ProviderFactory {
 public:
  explicit AotFactory(bool has_virtual_devices) : has_virtual_devices_(has_virtual_devices) {}
  std::string_view name() const override { return kProviderName; }
  std::string_view vendor() const override { return "ortc"; }
  std::string_view version() const override { return kLibraryVersion; }
  std::span<const std::string_view> aliases() const override {
    static constexpr std::string_view kAliases[] = {kContextSource};
    return kAliases;
  }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>> hardware) const override {
    std::vector<DeviceOffer> offers;
    for (const auto& device : hardware) {
      if (device->type != DeviceType::kCpu) continue;
      offers.push_back(
          {device, {{"version", std::string(version())}, {"targets", target_list()}}, {}});
    }
    if (has_virtual_devices_) {
      for (const std::string_view target : kVirtualDevices) {
        offers.push_back(virtual_device(target));
      }
    }
    return offers;
  }
  Status check_options(const KeyValues& options) const override {
    ASSIGN_OR_RETURN(const AotOptions read, read_aot_options(options));
    return parse_targets(read.target).status();
  }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                  const Logger& logger) const override {
    return make_for({}, options, logger);
  }
  Result<std::unique_ptr<ExecutionProvider>> make_for(const ProviderRequest& request,
                                                      const KeyValues& options,
                                                      const Logger& logger) const override {
    ASSIGN_OR_RETURN(AotOptions read, read_aot_options(options));
    read.target = targets_of(request.devices, read.target);
    ASSIGN_OR_RETURN(read.target, parse_targets(read.target));
    return make_provider(read, logger);
  }
  Compatibility judge(std::string_view info, std::string* reason) const override {
    return judge_compatibility(info, nullptr, reason);
  }
  // The worst that one of them says. Virtual devices are asked as if they were there.
  Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>> devices,
                                  std::string_view info, std::string* reason) const override {
    if (devices.empty()) return judge(info, reason);
    Compatibility worst = Compatibility::kNotApplicable;
    for (const auto& device : devices) {
      ASSIGN_OR_RETURN(const std::optional<Target> target, virtual_target(*device));
      std::string why;
      const Compatibility verdict = judge_compatibility(info, target ? &*target : nullptr, &why);
      if (device != devices.front() && verdict <= worst) continue;
      worst = verdict;
      if (reason != nullptr) *reason = std::move(why);
    }
    return worst;
  }
  // What is compiled for a virtual device may be for another processor.
  Result<Incompatibility> incompatibility(
      const std::shared_ptr<const HardwareDevice>& hardware) const override {
    const auto target = hardware->metadata.find("target");
    if (target == hardware->metadata.end()) return ProviderFactory::incompatibility(hardware);
    Incompatibility found;
    if (judge_target(target->second, nullptr, &found.notes) == Compatibility::kUnsupported) {
      found.reasons = Incompatibility::kDevice;
    }
    return found;
  }
  // Of equals the one that uses most of the processor.
  Result<std::optional<size_t>> choose_candidate(
      const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
      const SessionOptions* session_options) const override {
    ASSIGN_OR_RETURN(const std::optional<size_t> first,
                     ProviderFactory::choose_candidate(device, candidates, session_options));
    if (!first) return first;
    const auto text_of = [&](size_t i) { return candidates[i].at("0.ep_compatibility_info"); };
    ASSIGN_OR_RETURN(const Compatibility verdict,
                     judge_for({&device, 1}, text_of(*first), nullptr));
    std::vector<size_t> equals;
    std::vector<std::string> texts;
    for (size_t i = *first; i < candidates.size(); ++i) {
      ASSIGN_OR_RETURN(const Compatibility other, judge_for({&device, 1}, text_of(i), nullptr));
      if (other != verdict || candidates[i].at("num_models") != "1") continue;
      equals.push_back(i);
      texts.push_back(text_of(i));
    }
    ASSIGN_OR_RETURN(const std::optional<Target> there, virtual_target(*device));
    if (equals.empty()) return first;
    return std::optional<size_t>(equals[best_of(texts, there ? &*there : nullptr)]);
  }
  const KernelRegistry* kernels() const override { return &cpu::lowering_rules().kernels; }

 private:
  // What a virtual device stands for; nothing of the processor that is here.
  static Result<std::optional<Target>> virtual_target(const EpDevice& device) {
    const auto name = device.options.find("target");
    if (name == device.options.end()) return std::optional<Target>();
    ASSIGN_OR_RETURN(Target target, parse_target(name->second));
    return std::optional<Target>(std::move(target));
  }

  bool has_virtual_devices_;
};

}  // namespace

std::shared_ptr<const ProviderFactory> factory(bool has_virtual_devices) {
  return std::make_shared<AotFactory>(has_virtual_devices);
}

}  // namespace ortc::aot
