// SPDX-License-Identifier: MIT
// The profiler of a library's provider.
#pragma once

#include <memory>

#include "core/api/plugin/ep_instance.h"
#include "core/provider/provider_profiler.h"

namespace ortc::api {

// Null when it has none, or one that cannot be used, of which the log tells.
std::unique_ptr<ProviderProfiler> make_plugin_profiler(std::shared_ptr<const EpInstance> ep);

}  // namespace ortc::api
