// SPDX-License-Identifier: MIT
// The provider registry: see the header.
#include "core/provider/registry.h"

#include <algorithm>
#include <cassert>

#include "core/platform/cpu.h"

namespace ortc {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(name.size() / 3, 2) + 1;
  for (std::string_view candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

namespace {

// What this library knows of the machine by itself. Providers of accelerators bring their own.
std::vector<std::shared_ptr<const HardwareDevice>> hardware_of_this_machine() {
  auto cpu = std::make_shared<HardwareDevice>();
  cpu->type = DeviceType::kCpu;
  cpu->metadata["is_virtual"] = "0";
  cpu->metadata["target"] = host_target();
  return {std::move(cpu)};
}

}  // namespace

ProviderRegistry::ProviderRegistry(const Factories& factories)
    : hardware_(hardware_of_this_machine()) {
  for (const auto& factory : factories) {
    [[maybe_unused]] const Status added = add(factory);
    assert(added.is_ok());
  }
  assert(default_ != nullptr);
}

Status ProviderRegistry::add(std::shared_ptr<const ProviderFactory> factory) {
  auto offers = factory->devices(hardware_);
  const std::lock_guard lock(mutex_);
  for (const auto& known : factories_) {
    if (equals_ignoring_case(known->name(), factory->name())) {
      return fail("a provider '", factory->name(), "' is registered already");
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

EpDevices ProviderRegistry::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

}  // namespace ortc
