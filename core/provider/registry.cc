// SPDX-License-Identifier: MIT
// The provider registry: see the header.
#include "core/provider/registry.h"

#include <algorithm>
#include <cassert>

namespace ortc {
namespace {

// A name of `added` that `known` answers to already; "" when there is none.
std::string_view shared_name(const ProviderFactory& known, const ProviderFactory& added) {
  if (answers_to(known, added.name())) return added.name();
  for (std::string_view alias : added.aliases()) {
    if (answers_to(known, alias)) return alias;
  }
  return {};
}

}  // namespace

ProviderRegistry::ProviderRegistry(const Factories& factories)
    : hardware_({processor_hardware()}), processor_(hardware_) {
  for (const auto& factory : factories) {
    [[maybe_unused]] const Status added = add(factory);
    assert(added.is_ok());
  }
  assert(default_ != nullptr);
}

Status ProviderRegistry::add(std::shared_ptr<const ProviderFactory> factory) {
  auto offers = factory->devices(processor_);
  for (const DeviceOffer& offer : offers) {
    if (offer.hardware == nullptr) {
      return fail("the provider '", factory->name(), "' offers a device without hardware");
    }
  }
  const std::lock_guard lock(mutex_);
  for (const auto& known : factories_) {
    const std::string_view taken = shared_name(*known, *factory);
    if (taken == factory->name() && equals_ignoring_case(taken, known->name())) {
      return fail("a provider '", taken, "' is registered already");
    }
    if (!taken.empty()) {
      return fail("the provider '", factory->name(), "' cannot answer to '", taken, "': '",
                  known->name(), "' does");
    }
  }
  if (factory->role() == ProviderRole::kRest) {
    if (default_ != nullptr) {
      return fail("'", factory->name(), "' cannot be the default provider: '", default_->name(),
                  "' is");
    }
    default_ = factory;
  }
  for (DeviceOffer& offer : offers) {
    auto device = std::make_shared<EpDevice>();
    device->factory = factory;
    device->hardware = std::move(offer.hardware);
    device->metadata = std::move(offer.metadata);
    device->options = std::move(offer.options);
    device->memories = std::move(offer.memories);
    device->handle = std::move(offer.handle);
    devices_.push_back(std::move(device));
  }
  factories_.push_back(std::move(factory));
  return Status::ok();
}

Status ProviderRegistry::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto place = std::find_if(factories_.begin(), factories_.end(), [&](const auto& factory) {
    return equals_ignoring_case(factory->name(), name);
  });
  if (place == factories_.end()) return fail("no provider '", name, "' is registered");
  if (*place == default_) return fail("the default provider '", name, "' cannot be removed");
  std::erase_if(devices_, [&](const auto& device) { return device->factory == *place; });
  factories_.erase(place);
  return Status::ok();
}

std::shared_ptr<const ProviderFactory> ProviderRegistry::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  for (const auto& factory : factories_) {
    if (answers_to(*factory, name)) return factory;
  }
  return nullptr;
}

std::shared_ptr<const ProviderFactory> ProviderRegistry::find_source(
    std::string_view source) const {
  const std::lock_guard lock(mutex_);
  for (const auto& factory : factories_) {
    if (factory->makes_source(source)) return factory;
  }
  return nullptr;
}

Factories ProviderRegistry::factories() const {
  const std::lock_guard lock(mutex_);
  return factories_;
}

HardwareDevices ProviderRegistry::hardware() const {
  std::call_once(looked_for_accelerators_, [this] {
    for (auto& found : accelerator_hardware("")) hardware_.push_back(std::move(found));
  });
  return hardware_;
}

EpDevices ProviderRegistry::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

}  // namespace ortc
