// SPDX-License-Identifier: MIT
// Targets: see the header.
#include "providers/aot/target.h"

namespace ortc::aot {

Result<Target> parse_target(std::string_view text) {
  if (text.empty() || text == "host") return Target{host_target(), host_isa()};
  struct Level {
    std::string_view name;
    Isa isa;
  };
  static constexpr Level kLevels[] = {{"x86-64", Isa::kGeneric},  {"x86-64-v2", Isa::kGeneric},
                                      {"x86-64-v3", Isa::kAvx2},  {"x86-64-v4", Isa::kAvx512},
                                      {"aarch64", Isa::kGeneric}, {"generic", Isa::kGeneric}};
  const std::string_view level = text.substr(0, text.find('+'));
  for (const Level& known : kLevels) {
    if (known.name == level) return Target{std::string(text), known.isa};
  }
  return invalid_argument(
      "unknown target '", text,
      "'; expected host, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64 or generic, "
      "optionally followed by +feature");
}

}  // namespace ortc::aot
