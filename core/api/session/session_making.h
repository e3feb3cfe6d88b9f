// SPDX-License-Identifier: MIT
// Making sessions, for the functions that do.
#pragma once

#include "core/api/handles.h"

namespace ortc::api {

// The sources that functions take: INVALID_ARGUMENT for an empty path and for a size out of range.
Result<ModelSource> file_source(const char* path);
Result<ModelSource> memory_source(const void* data, size_t size);

// `weights` may be null: the session keeps its own.
Status make_session(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                    std::shared_ptr<PackedWeights> weights, OrtSession** out);

// Makes handles of what the session recorded of its providers.
void show_assignment(OrtSession& session);

}  // namespace ortc::api
