// SPDX-License-Identifier: MIT
// What a session asks of a cache: the key of what it would compile, or why it asks nothing.
#pragma once

#include "core/session/cache/cache_key.h"

namespace ortc {

struct CacheQuestion {
  std::string bypass;  // why the cache has nothing to do; "": it is asked for `key`
  SourceContent content;
  CacheKey key;
};

// MODEL_LOAD_CANCELED. Whatever else is wrong is a reason for the source, which says it better.
Result<CacheQuestion> ask_cache(const ModelSource& source, const SourceReader& reader,
                                const Making& making);

}  // namespace ortc
