// SPDX-License-Identifier: MIT
// A provider's factory: what is known of a provider before a session is made. An object with state;
// its functions may be called by any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/memory_info.h"
#include "core/base/near_name.h"
#include "core/ops/custom_operator.h"
#include "core/provider/execution_provider.h"

namespace ortc {

struct EpDevice;
struct SessionOptions;

struct HardwareDevice {
  DeviceType type = DeviceType::kCpu;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::string vendor;
  KeyValues metadata;  // always has "is_virtual"
};

// A device that a factory offers to serve.
struct DeviceOffer {
  std::shared_ptr<const HardwareDevice> hardware;
  KeyValues metadata;                     // "version", "library_path" when there is one
  KeyValues options;                      // defaults
  std::vector<MemoryInfo> memories = {};  // beside the host's plain one
};

enum class Compatibility : int {
  kNotApplicable = 0,
  kOptimal = 1,
  kPreferRecompilation = 2,
  kUnsupported = 3
};

// What a session says to a provider that is made for it. Borrowed for the call.
struct ProviderRequest {
  std::span<const std::shared_ptr<const EpDevice>> devices;  // chosen for it; none: as it likes
  // All of them, for providers whose interface shows them to others; nothing to read at this stage.
  const SessionOptions* session_options = nullptr;
};

// Which part of a model a provider gets.
enum class ProviderRole : uint8_t {
  kClaims,  // what it asks for
  kRest,    // what nobody else took; there is one such provider, always last
};

class ProviderFactory {
 public:
  virtual ~ProviderFactory() = default;
  virtual std::string_view name() const = 0;  // "AotExecutionProvider"
  virtual std::string_view vendor() const = 0;
  virtual std::string_view version() const = 0;
  virtual ProviderRole role() const { return ProviderRole::kClaims; }
  // Other names that it answers to ("AOT").
  virtual std::span<const std::string_view> aliases() const { return {}; }
  // Whether EPContext nodes with this `source` are its own. By default: name and aliases.
  virtual bool makes_source(std::string_view source) const;
  // Devices among the `hardware` of this machine that it serves, and virtual ones of its own.
  virtual std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>> hardware) const = 0;
  // INVALID_ARGUMENT names an unknown option with the nearest that is known, or a value with what
  // was expected. Options are without prefix.
  virtual Status check_options(const KeyValues& options) const = 0;
  virtual Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                          const Logger& logger) const = 0;
  // The same for a session that has more to say.
  virtual Result<std::unique_ptr<ExecutionProvider>> make_for(const ProviderRequest&,
                                                              const KeyValues& options,
                                                              const Logger& logger) const {
    return make(options, logger);
  }
  // Whether a context whose metadata say `info` runs here, and why not.
  virtual Compatibility judge(std::string_view, std::string*) const {
    return Compatibility::kNotApplicable;
  }
  // The same on these devices; fails as the provider does.
  virtual Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>>,
                                          std::string_view info, std::string* reason) const {
    return judge(info, reason);
  }
  // Of what it writes into containers; null when those hold no plans. The default provider's also
  // fold constants.
  virtual const KernelRegistry* kernels() const { return nullptr; }
  // Operators that it brings, known in the sessions that use it; null: none. They live as long as
  // the factory.
  virtual const CustomOperators* custom_operators() const { return nullptr; }
};

// By name or alias, without case.
bool answers_to(const ProviderFactory& factory, std::string_view name);
// Prefixes of its options in config keys, "ep.<prefix>.<option>": name and aliases in lower case.
std::vector<std::string> option_prefixes(const ProviderFactory& factory);

}  // namespace ortc
