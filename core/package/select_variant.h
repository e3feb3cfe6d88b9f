// SPDX-License-Identifier: MIT
// Which variant of a component runs: the best that the first provider takes that takes any.
//
// A variant is for one provider, perhaps for one kind of device. What its compatibility text means
// is the provider's business, whose verdict gives points:
//
//   optimal 100   prefer recompilation 50   nothing to say of it 0   unsupported: rejected
//
// Where several are left the provider may choose among them itself; otherwise the most points win,
// and among equals the first of the manifest.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/package/package.h"
#include "core/provider/registry.h"

namespace ortc {

// A provider of the session to come, with the devices that it may use.
struct PackageProvider {
  std::shared_ptr<const ProviderFactory> factory;
  EpDevices devices;
};

struct VariantVerdict {
  std::optional<size_t> provider;  // whose it is, of those that were given
  std::optional<int> points;       // none: rejected
  Compatibility compatibility = Compatibility::kNotApplicable;
  std::string reason;  // why it was rejected, or has few points
};

struct Selection {
  std::optional<size_t> variant;         // none: no provider takes any
  std::vector<VariantVerdict> verdicts;  // one for each variant
  Status fault;                          // of a provider that could not choose: none is selected
};

// `providers` in the order in which they are asked. `session_options` may be null; providers show
// them to libraries.
Selection select_variant(const PackageComponent& component,
                         std::span<const PackageProvider> providers,
                         const SessionOptions* session_options);

// Why there is none, variant by variant.
Status no_variant(const PackageComponent& component, const Selection& selection,
                  std::span<const PackageProvider> providers);

}  // namespace ortc
