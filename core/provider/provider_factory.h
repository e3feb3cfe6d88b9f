// SPDX-License-Identifier: MIT
// A provider's factory: what is known of a provider before a session is made. An object with state;
// its functions may be called by any thread.
#pragma once

#include <memory>
#include <optional>
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
  std::vector<MemoryInfo> memories = {};  // besides the host's plain one
  // What those behind the provider's interface know it by; null: nothing.
  std::shared_ptr<void> handle = nullptr;
};

enum class Compatibility : int {
  kNotApplicable = 0,
  kOptimal = 1,
  kPreferRecompilation = 2,
  kUnsupported = 3
};

// Why a provider does not serve hardware.
struct Incompatibility {
  uint32_t reasons = 0;    // bits, as in ort_c/devices.h; 0: it does serve it
  int32_t error_code = 0;  // the provider's own; 0: none
  std::string notes;

  static constexpr uint32_t kDevice = 2;  // it is not made for such hardware
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
  kRest,    // what no other took; there is one such provider, always last
};

class ProviderFactory {
 public:
  virtual ~ProviderFactory() = default;
  virtual std::string_view name() const = 0;  // "AotExecutionProvider"
  virtual std::string_view vendor() const = 0;
  virtual std::string_view version() const = 0;
  // The vendor's number, as on the PCI bus; 0: none.
  virtual uint32_t vendor_id() const { return 0; }
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
  // Why it does not serve hardware, which need not be of this machine. By default: what it offers
  // no device for.
  virtual Result<Incompatibility> incompatibility(
      const std::shared_ptr<const HardwareDevice>& hardware) const;
  // Of several ways in which a model was compiled, the one that runs best on the device; nothing
  // when none runs there. A candidate says "num_models", and "<i>.ep_compatibility_info" of each.
  // Without an opinion of its own: the first of those with the best verdict. INVALID_ARGUMENT for
  // a candidate that lacks one of these; `session_options` may be null.
  virtual Result<std::optional<size_t>> choose_candidate(
      const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
      const SessionOptions* session_options) const;
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
