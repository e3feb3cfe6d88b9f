// SPDX-License-Identifier: MIT
// Sessions from the sources that functions take.
#pragma once

#include <memory>

#include "core/api/session/session_handle.h"
#include "core/api/session/session_options_handle.h"
#include "core/session/packed_weights.h"

namespace ortc::api {

// The sources that functions take: INVALID_ARGUMENT for an empty path and for a size out of range.
Result<ModelSource> file_source(const char* path);
Result<ModelSource> memory_source(const void* data, size_t size);

// `weights` may be null: the session keeps its own.
Status make_session(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                    std::shared_ptr<PackedWeights> weights, OrtSession** out);

}  // namespace ortc::api
