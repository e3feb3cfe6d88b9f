// SPDX-License-Identifier: MIT
// Operators that no row of the table draws, each with the reason.
#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {

std::span<const std::string_view> left_out() {
  static constexpr std::string_view kLines[] = {
      ":RandomNormal|its numbers are random",
  };
  return kLines;
}

}  // namespace ortc::fuzz
