// SPDX-License-Identifier: MIT
// The default provider: it takes what nobody else claimed and lowers it to the main Plan of a
// session, whose steps call what the others compiled.
#pragma once

#include "core/provider/provider_factory.h"

namespace ortc::cpu {

inline constexpr std::string_view kProviderName = "CPUExecutionProvider";

std::shared_ptr<const ProviderFactory> factory();

}  // namespace ortc::cpu
