// SPDX-License-Identifier: MIT
// What the provider's contexts say that they need, and whether that is here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/provider/provider_factory.h"

namespace ortc::aot {

struct Target;

// The text of ep_compatibility_info: version, target and all kernels.
std::string compatibility_text(std::string_view target, std::span<const std::string> kernels);
// Whether such a text can run on a machine of the target `there`, null being this one, and why not.
Compatibility judge_compatibility(std::string_view text, const Target* there, std::string* reason);
// Of several such texts, which all run there as well as the others, the one whose target is best.
size_t best_of(std::span<const std::string> texts, const Target* there);

}  // namespace ortc::aot
