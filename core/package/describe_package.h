// SPDX-License-Identifier: MIT
// Packages as JSON, for people and scripts.
#pragma once

#include <span>
#include <string>

#include "core/package/select_variant.h"

namespace ortc {

// {"schema":"ortc.package/1","root":...,"components":[...],"shared_assets":[...]}. With providers,
// each variant has "verdict", "points" (null: rejected) and "reason", each component "selected"
// (null: none), and "fault" when a provider could not choose.
std::string describe_package(const Package& package, std::span<const PackageProvider> providers,
                             const SessionOptions* session_options);

}  // namespace ortc
