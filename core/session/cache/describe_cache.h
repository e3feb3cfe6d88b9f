// SPDX-License-Identifier: MIT
// A cache for people: what is in it, whether it is sound, and why a model is in it or not. JSON,
// "schema":"ortc.cache/1".
#pragma once

#include "core/session/environment.h"
#include "core/session/model_source.h"
#include "core/session/session_options.h"

namespace ortc {

// NO_SUCHFILE when there is no such folder.
Result<std::string> list_cache(const std::string& folder);
// Removes entries until the others take no more than `bytes_max`, and what ended processes left.
Result<std::string> prune_cache_folder(const std::string& folder, uint64_t bytes_max);
// Compares every byte of every entry with its hash. Nothing is changed.
Result<std::string> verify_cache(const std::string& folder, const ProviderRegistry& providers);
// What goes into the key of a session with these options (ep.context_cache_dir among them), whether
// there is an entry, and what is different in the one that comes nearest.
Result<std::string> explain_cache(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source, const SessionOptions& options);

}  // namespace ortc
