// SPDX-License-Identifier: MIT
// The providers this library brings, their devices, and how sessions make them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/near_name.h"
#include "core/provider/execution_provider.h"

namespace ortc {

enum class DeviceType : int { kCpu = 0, kGpu = 1, kNpu = 2 };

struct HardwareDevice {
  DeviceType type = DeviceType::kCpu;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::string vendor;
  KeyValues metadata;  // always has "is_virtual"
};

struct ProviderFactory {
  std::string name;   // "AotExecutionProvider"
  std::string alias;  // "AOT"
  std::string vendor;
  std::string option_prefix;        // ep.<prefix>.<option>; the lower-case name
  std::string option_prefix_alias;  // "aot"
  // `options` without prefix. INVALID_ARGUMENT names an unknown option, and the nearest known.
  Result<std::unique_ptr<ExecutionProvider>> (*make)(const KeyValues& options,
                                                     const Logger& logger);
  // Whether a context whose metadata say `info` runs here.
  Compatibility (*validate)(std::string_view info, std::string* reason);
  const struct LoweringRules& (*rules)();
};

// A provider on a device. Lives as long as the environment.
struct EpDevice {
  const ProviderFactory* factory = nullptr;
  const HardwareDevice* hardware = nullptr;
  KeyValues metadata;  // "version", "library_path" when there is one
  KeyValues options;   // defaults
};

class ProviderRegistry {
 public:
  explicit ProviderRegistry(std::vector<ProviderFactory> factories);
  ProviderRegistry(const ProviderRegistry&) = delete;
  ProviderRegistry& operator=(const ProviderRegistry&) = delete;

  // By name or alias, without case; null when unknown.
  const ProviderFactory* find(std::string_view name) const;
  const std::vector<ProviderFactory>& factories() const { return factories_; }
  const std::vector<std::unique_ptr<EpDevice>>& devices() const { return devices_; }

 private:
  std::vector<ProviderFactory> factories_;
  HardwareDevice cpu_;
  std::vector<std::unique_ptr<EpDevice>> devices_;
};

}  // namespace ortc
