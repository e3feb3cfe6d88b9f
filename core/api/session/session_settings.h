// SPDX-License-Identifier: MIT
// Session options as the inside takes them: names of providers become their factories.
#pragma once

#include "core/api/handles.h"

namespace ortc::api {

// `options` may be null: the defaults. INVALID_ARGUMENT or NOT_IMPLEMENTED for what no session can
// do.
Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared);

Result<OptimisationLevel> optimisation_level(const GraphOptimizationLevel& level);

}  // namespace ortc::api
