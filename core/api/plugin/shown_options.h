// SPDX-License-Identifier: MIT
// The options of a session as a library reads them: every entry as a text.
#pragma once

#include <memory>

#include "core/api/session/session_options_handle.h"
#include "core/provider/provider_factory.h"

namespace ortc::api {

// `options`: of the provider, without prefix. `from` may be null: the defaults.
std::unique_ptr<OrtSessionOptions> show_options(const SessionOptions* from,
                                                const KeyValues& options,
                                                const ProviderFactory& factory);

}  // namespace ortc::api
