// SPDX-License-Identifier: MIT
// A session of a model that is compiled once: what was compiled is kept in the folder of
// ep.context_cache_dir, and the next session that would compile the same loads it from there.
//
//   key       from contents, options, providers and the build: cache_key.h
//   hit       the entry is loaded; nothing is locked, nothing but its time of use is written
//   miss      who gets the key's lock compiles into a folder of its own, makes room, and publishes
//             by one rename; the others wait for the lock, and then load
//
// Nothing that is wrong with the cache makes a session fail: it is made from the source then, and
// says so once. What is wrong with the model fails as it does without a cache.
#pragma once

#include "core/session/stages.h"

namespace ortc {

Result<MadeModel> load_or_compile(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source, const SessionOptions& options,
                                  const MakingLimits& limits);

}  // namespace ortc
