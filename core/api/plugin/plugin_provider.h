// SPDX-License-Identifier: MIT
// An OrtEp as the provider of a session.
#pragma once

#include <memory>

#include "core/api/plugin/plugin_factory.h"

namespace ortc::api {

Result<std::unique_ptr<ExecutionProvider>> make_plugin_provider(
    std::shared_ptr<const PluginFactory> factory, const ProviderRequest& request,
    const KeyValues& options, const Logger& logger);

}  // namespace ortc::api
