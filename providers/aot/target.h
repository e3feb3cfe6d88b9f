// SPDX-License-Identifier: MIT
// Names of targets: an architecture level and features ("x86-64-v4+avx512vnni").
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/platform/cpu.h"

namespace ortc::aot {

struct Target {
  std::string name;  // as given; "host" is resolved
  Isa isa = Isa::kGeneric;
};

// INVALID_ARGUMENT lists the levels.
Result<Target> parse_target(std::string_view text);

}  // namespace ortc::aot
