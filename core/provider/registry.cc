// SPDX-License-Identifier: MIT
// The provider registry: see the header.
#include "core/provider/registry.h"

namespace ortc {

ProviderRegistry::ProviderRegistry(std::vector<ProviderFactory> factories)
    : factories_(std::move(factories)) {
  cpu_.type = DeviceType::kCpu;
  cpu_.metadata["is_virtual"] = "0";
  cpu_.metadata["target"] = host_target();
  for (const ProviderFactory& factory : factories_) {
    auto device = std::make_unique<EpDevice>();
    device->factory = &factory;
    device->hardware = &cpu_;
    device->metadata["version"] = "1.0.0";
    devices_.push_back(std::move(device));
  }
}

const ProviderFactory* ProviderRegistry::find(std::string_view name) const {
  for (const ProviderFactory& factory : factories_) {
    if (equals_ignoring_case(name, factory.name) || equals_ignoring_case(name, factory.alias)) {
      return &factory;
    }
  }
  return nullptr;
}

}  // namespace ortc
