// SPDX-License-Identifier: MIT
// Whether what a package's manifest says of its files is still so.
#pragma once

#include <string>

#include "core/package/package.h"

namespace ortc {

// Everything that has a hash, compared with it:
// {"schema":"ortc.package_verify/1","items":[{"kind":"file"|"shared_asset","name":...,
// "state":...,"reason":...}],"verdict":"sound"|"broken"}. A state is "sound", "missing", "changed"
// or, of a file without a hash, "not_recorded", which is no fault.
std::string verify_package(const Package& package);

}  // namespace ortc
