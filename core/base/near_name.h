// SPDX-License-Identifier: MIT
// Comparing names as people write them: without case, and "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ortc {

bool equals_ignoring_case(std::string_view a, std::string_view b);
// The candidate with the fewest edits; "" when none is near.
std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates);
// "; did you mean 'ep.context_enable'?", or "" when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace ortc
