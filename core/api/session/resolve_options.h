// SPDX-License-Identifier: MIT
// Options as the inside takes them: names of providers have become their factories.
#pragma once

#include "core/api/session/session_options_handle.h"
#include "core/session/model_source.h"

namespace ortc::api {

// `options` may be null: the defaults. INVALID_ARGUMENT or NOT_IMPLEMENTED for what no session can
// do. A function of the program that chooses devices hears of the `source`.
Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared, const ModelSource& source);

}  // namespace ortc::api
