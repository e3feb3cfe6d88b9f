// SPDX-License-Identifier: MIT
// The compiling provider on the CPU: claims what it can lower, compiles it to Plan images for
// context binaries, and runs EPContext nodes whose source is "AOT" by mapping those images back.
#pragma once

#include "core/provider/provider_factory.h"

namespace ortc::aot {

struct Target;

inline constexpr std::string_view kProviderName = "AotExecutionProvider";
inline constexpr std::string_view kContextSource = "AOT";

std::shared_ptr<const ProviderFactory> factory(bool has_virtual_devices = false);

// The text of ep_compatibility_info: version, target and all kernels.
std::string compatibility_text(std::string_view target, std::span<const std::string> kernels);
// Whether such a text can run on a machine of the target `there`, null being this one, and why not.
Compatibility judge_compatibility(std::string_view text, const Target* there, std::string* reason);
// Of several such texts, which all run there as well as the others, the one whose target is best.
size_t best_of(std::span<const std::string> texts, const Target* there);

}  // namespace ortc::aot
