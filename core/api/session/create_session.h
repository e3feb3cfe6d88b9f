// SPDX-License-Identifier: MIT
// Sessions from the sources that functions take.
#pragma once

#include <functional>
#include <memory>

#include "core/api/session/session_handle.h"
#include "core/api/session/session_options_handle.h"
#include "core/session/packed_weights.h"

namespace ortc::api {

// The sources that functions take: INVALID_ARGUMENT for an empty path and for a size out of range.
Result<ModelSource> file_source(const char* path);
Result<ModelSource> memory_source(const void* data, size_t size);

// A session without a model.
std::unique_ptr<OrtSession> new_session(std::shared_ptr<SharedEnvironment> shared);

// What the options say of making, besides what the inside takes.
MakingLimits limits_of(const OrtSessionOptions* options);

// How the model of a session is made: from its source, or from a draft.
using ModelMaker =
    std::function<Result<MadeModel>(const ortc::SessionOptions&, const MakingLimits&)>;

// Gives the session the model that `make` makes of its source, and what its options ask for. A
// failure changes nothing. `weights` may be null: the session keeps its own.
Status fill_session(OrtSession& session, const ModelSource& source,
                    const OrtSessionOptions* options, std::shared_ptr<PackedWeights> weights,
                    const ModelMaker& make);

Status create_session(const OrtEnv& env, const ModelSource& source,
                      const OrtSessionOptions* options, std::shared_ptr<PackedWeights> weights,
                      OrtSession** out);

}  // namespace ortc::api
