// SPDX-License-Identifier: MIT
// What a factory of a library answers about models and devices: see plugin_factory.h.
#include "core/api/env/incompatibility_handle.h"
#include "core/api/plugin/device_arrays.h"
#include "core/api/plugin/plugin_factory.h"
#include "core/api/plugin/shown_options.h"

namespace ortc::api {

// Without devices of a session: for those who only look at a model.
Compatibility PluginFactory::judge(std::string_view info, std::string* reason) const {
  auto verdict = judge_for({}, info, reason);
  return verdict.is_ok() ? *verdict : Compatibility::kNotApplicable;
}

Result<Compatibility> PluginFactory::judge_for(
    std::span<const std::shared_ptr<const EpDevice>> devices, std::string_view info,
    std::string* reason) const {
  const auto validate = ORTC_SINCE(*factory_, 23, ValidateCompiledModelCompatibilityInfo);
  if (validate == nullptr) return Compatibility::kNotApplicable;
  const DeviceArrays arrays(chosen(devices));
  auto verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  const std::string text(info);
  const PluginLibrary::Scope scope(*library_);
  RETURN_IF_ERROR(call_plugin(label("ValidateCompiledModelCompatibilityInfo"), [&] {
    return validate(factory_, arrays.hardware(), arrays.count(), text.c_str(), &verdict);
  }));
  const int32_t number = number_of(verdict);
  if (number < 0 || number > static_cast<int32_t>(Compatibility::kUnsupported)) {
    return make_status(Code::kEpFail, label("ValidateCompiledModelCompatibilityInfo"), " gave ",
                       number, ", expected a value of OrtCompiledModelCompatibility");
  }
  *reason = str_cat(name_, " says so of '", text, "'");
  return static_cast<Compatibility>(number);
}

// Who cannot say is believed to serve it.
Result<Incompatibility> PluginFactory::incompatibility(
    const std::shared_ptr<const HardwareDevice>& hardware) const {
  OrtDeviceEpIncompatibilityDetails details;
  const auto ask = ORTC_SINCE(*factory_, 24, GetHardwareDeviceIncompatibilityDetails);
  if (ask == nullptr) return details.found;
  const OrtHardwareDevice handle(hardware);
  const PluginLibrary::Scope scope(*library_);
  RETURN_IF_ERROR(call_plugin(label("GetHardwareDeviceIncompatibilityDetails"),
                              [&] { return ask(factory_, &handle, &details); }));
  return details.found;
}

Result<std::optional<size_t>> PluginFactory::choose_candidate(
    const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
    const SessionOptions* session_options) const {
  const auto choose = ORTC_SINCE(*factory_, 28, SelectBestModelCandidate);
  if (choose == nullptr || candidates.empty()) {
    return ProviderFactory::choose_candidate(device, candidates, session_options);
  }
  const DeviceArrays device_array(chosen({&device, 1}));
  std::vector<std::unique_ptr<OrtKeyValuePairs>> texts;
  std::vector<const OrtKeyValuePairs*> list;
  for (const KeyValues& candidate : candidates) {
    list.push_back(texts.emplace_back(std::make_unique<OrtKeyValuePairs>(candidate)).get());
  }
  const auto shown =
      session_options != nullptr ? show_options(session_options, {}, *this) : nullptr;
  size_t index = SIZE_MAX;
  const PluginLibrary::Scope scope(*library_);
  RETURN_IF_ERROR(call_plugin(label("SelectBestModelCandidate"), [&] {
    return choose(factory_, *device_array.hardware(), list.data(), list.size(), shown.get(),
                  &index);
  }));
  if (index == SIZE_MAX) return std::optional<size_t>();
  if (index < list.size()) return std::optional<size_t>(index);
  return make_status(Code::kEpFail, label("SelectBestModelCandidate"), " gave ", index,
                     ", but there are ", list.size(), " candidates");
}

}  // namespace ortc::api
