// SPDX-License-Identifier: MIT
// Choosing providers by a function of the program: see ep_choice.h.
#include <algorithm>
#include <tuple>

#include "core/api/guard.h"
#include "core/api/model/model_texts.h"
#include "core/api/session/ep_choice.h"

namespace ortc::api {
namespace {

constexpr size_t kSelectedMost = 8;  // as in ONNX Runtime

struct Offered {
  const OrtEpDevice* handle;
  std::shared_ptr<const ortc::EpDevice> device;
};

bool is_discrete(const HardwareDevice& hardware) {
  const auto entry = hardware.metadata.find("Discrete");
  return entry != hardware.metadata.end() && entry->second == "1";
}

// Smaller is offered earlier.
auto place_of(const ortc::EpDevice& device) {
  const HardwareDevice& hardware = *device.hardware;
  const ProviderFactory& factory = *device.factory;
  const bool is_of_its_vendor =
      (factory.vendor_id() != 0 && factory.vendor_id() == hardware.vendor_id) ||
      factory.vendor() == hardware.vendor;
  const int kind = hardware.type == DeviceType::kNpu   ? 0
                   : hardware.type == DeviceType::kCpu ? 3
                   : is_discrete(hardware)             ? 1
                                                       : 2;
  return std::tuple(factory.role() == ProviderRole::kRest, kind, !is_of_its_vendor, factory.name());
}

std::vector<Offered> offers_of(const DeviceList& list) {
  const OrtEpDevice* const* handles = nullptr;
  size_t count = 0;
  list.show(&handles, &count);
  std::vector<Offered> offers;
  for (size_t i = 0; i < count; ++i) {
    auto device = handles[i]->device();
    if (device != nullptr) offers.push_back({handles[i], std::move(device)});
  }
  std::ranges::stable_sort(offers, [](const Offered& a, const Offered& b) {
    return place_of(*a.device) < place_of(*b.device);
  });
  return offers;
}

// Devices of one provider go to it together.
void add_device(std::shared_ptr<const ortc::EpDevice> device, std::vector<ChosenProvider>& chosen) {
  const std::string_view name = device->factory->name();
  auto own = std::ranges::find(chosen, name, &ChosenProvider::name);
  if (own == chosen.end()) own = chosen.insert(own, {std::string(name), {}});
  own->devices.push_back(std::move(device));
}

Result<std::vector<ChosenProvider>> providers_of(std::span<const OrtEpDevice* const> selected,
                                                 const std::vector<Offered>& offers,
                                                 bool may_use_default) {
  std::vector<ChosenProvider> chosen;
  for (size_t i = 0; i < selected.size(); ++i) {
    const auto offer = std::ranges::find(offers, selected[i], &Offered::handle);
    if (offer == offers.end()) {
      return fail("EP selection delegate selected a device that it was not given, at place ", i);
    }
    if (std::ranges::count(selected.first(i), selected[i]) != 0) {
      return fail("EP selection delegate selected a device of ", offer->device->factory->name(),
                  " twice, the second time at place ", i);
    }
    // It is there in any case, last, unless the options forbid it.
    if (!may_use_default && offer->device->factory->role() == ProviderRole::kRest) continue;
    add_device(offer->device, chosen);
  }
  return chosen;
}

}  // namespace

Result<std::vector<ChosenProvider>> choose_by_delegate(const OrtSessionOptions& options,
                                                       SharedEnvironment& shared,
                                                       const ModelSource& source) {
  ASSIGN_OR_RETURN(const KeyValues texts, read_model_texts(source));
  const OrtKeyValuePairs model(texts), runtime;
  const std::vector<Offered> offers = offers_of(shared.devices);
  std::vector<const OrtEpDevice*> devices;
  for (const Offered& offer : offers) devices.push_back(offer.handle);
  std::vector<const OrtEpDevice*> selected(kSelectedMost);
  size_t count = 0;
  const Status said = take_callers_status(
      options.delegate(devices.data(), devices.size(), &model, &runtime, selected.data(),
                       selected.size(), &count, options.delegate_state));
  if (!said.is_ok()) return fail("EP selection delegate failed: ", said.message());
  if (count == 0) return fail("EP selection delegate did not select anything");
  if (count > selected.size()) {
    return fail("EP selection delegate selected too many EP devices (", count, "), expected 1 to ",
                selected.size());
  }
  selected.resize(count);
  return providers_of(selected, offers, !options.options.disable_cpu_fallback);
}

}  // namespace ortc::api
