// SPDX-License-Identifier: MIT
// The compiling provider on the CPU: claims what it can lower, compiles it to Plan images for
// context binaries, and runs EPContext nodes whose source is "AOT" by mapping those images back.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/log.h"
#include "core/provider/execution_provider.h"

namespace ortc::aot {

struct AotOptions;

inline constexpr std::string_view kProviderName = "AotExecutionProvider";
inline constexpr std::string_view kContextSource = "AOT";

std::unique_ptr<ExecutionProvider> make_provider(const AotOptions& options, Logger logger);

}  // namespace ortc::aot
