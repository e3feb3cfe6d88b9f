// SPDX-License-Identifier: MIT
// The providers of an environment and their devices. The registry changes while sessions are made
// and live: what it hands out is held by those who use it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/provider/hardware.h"

namespace ortc {

// A provider on a device.
struct EpDevice {
  std::shared_ptr<const ProviderFactory> factory;
  std::shared_ptr<const HardwareDevice> hardware;
  KeyValues metadata, options;
  std::vector<MemoryInfo> memories;
  std::shared_ptr<void> handle;  // as it was offered
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
  // The provider that runs what no other claims.
  const ProviderFactory& default_provider() const { return *default_; }
  Factories factories() const;  // in order of registration
  EpDevices devices() const;
  // The processor first. Accelerators are looked for at the first call: nothing else needs them.
  HardwareDevices hardware() const;

 private:
  mutable std::once_flag looked_for_accelerators_;
  mutable HardwareDevices hardware_;  // the processor; with its accelerators after hardware()
  HardwareDevices processor_;
  std::shared_ptr<const ProviderFactory> default_;
  mutable std::mutex mutex_;
  Factories factories_;
  EpDevices devices_;
};

}  // namespace ortc
