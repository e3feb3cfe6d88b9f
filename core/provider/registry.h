// SPDX-License-Identifier: MIT
// The providers of an environment and their devices. The registry changes while sessions are made
// and live: what it hands out is held by those who use it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/provider/provider_factory.h"

namespace ortc {

// A provider on a device.
struct EpDevice {
  std::shared_ptr<const ProviderFactory> factory;
  std::shared_ptr<const HardwareDevice> hardware;
  KeyValues metadata, options;
};

using Factories = std::vector<std::shared_ptr<const ProviderFactory>>;
using EpDevices = std::vector<std::shared_ptr<const EpDevice>>;

// Thread-safe.
class ProviderRegistry {
 public:
  explicit ProviderRegistry(const Factories& factories);
  ProviderRegistry(const ProviderRegistry&) = delete;
  ProviderRegistry& operator=(const ProviderRegistry&) = delete;

  // FAIL when a provider that answers to one of its names, or a second default provider, is there
  // already, and for a device without hardware.
  Status add(std::shared_ptr<const ProviderFactory> factory);
  // FAIL when there is none of that name. Sessions go on with what they have.
  Status remove(std::string_view name);

  // By name or alias, without case; null when unknown.
  std::shared_ptr<const ProviderFactory> find(std::string_view name) const;
  // Whose EPContext nodes have this `source`; null when no provider's.
  std::shared_ptr<const ProviderFactory> find_source(std::string_view source) const;
  // The provider that runs what nobody else claims.
  const ProviderFactory& default_provider() const { return *default_; }
  Factories factories() const;  // in order of registration
  EpDevices devices() const;

 private:
  std::vector<std::shared_ptr<const HardwareDevice>> hardware_;
  std::shared_ptr<const ProviderFactory> default_;
  mutable std::mutex mutex_;
  Factories factories_;
  EpDevices devices_;
};

}  // namespace ortc
