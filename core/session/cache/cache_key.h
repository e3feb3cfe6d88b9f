// SPDX-License-Identifier: MIT
// What a compiled model follows from: the source's contents, the options that change what is
// compiled, the providers with their options and targets, and the build of this library. Never a
// path, never a time. Everything is a line of text, so that what went into a key can be shown, and
// two keys can be compared.
#pragma once

#include "core/session/cache/record_text.h"
#include "core/session/cache/source_content.h"
#include "core/session/session_providers.h"

namespace ortc {

struct CacheKey {
  RecordFields parts;  // in order; no two have one name
  std::string digits;  // 32, of all parts
};

CacheKey cache_key(const SourceContent& source, const SessionOptions& options,
                   const SessionProviders& providers);

// The options in a key, as texts: those that are not at their default, unless they say nothing of
// what is compiled.
KeyValues options_in_key(const SessionSettings& settings);
bool is_in_key(std::string_view option);

}  // namespace ortc
