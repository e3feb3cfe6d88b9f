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

// Everything that has a hash, compared with it:
// {"schema":"ortc.package_verify/1","items":[{"kind":"file"|"shared_asset","name":...,
// "state":...,"reason":...}],"verdict":"sound"|"broken"}. A state is "sound", "missing", "changed"
// or, of a file without a hash, "not_recorded", which is no fault.
std::string verify_package(const Package& package);

}  // namespace ortc
