// SPDX-License-Identifier: MIT
// Regular expressions by RE2: time linear in the text whatever the pattern is, which is why
// patterns of unknown origin may be run.
#include <re2/re2.h>

#include <cstdio>
#include <new>

#include "extra/regex.h"

struct OrtcRegex {
  OrtcRegex(re2::StringPiece pattern, const RE2::Options& options) : re(pattern, options) {}
  RE2 re;
};

namespace {

// Threads share a pattern: RE2 locks what it fills in lazily.
OrtcExtraCode compile(re2::StringPiece pattern, bool is_longest, OrtcRegex** out_regex,
                      OrtcExtraMessage* message) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(is_longest);
  auto* const regex = new OrtcRegex(pattern, options);
  if (regex->re.ok()) {
    *out_regex = regex;
    return kOrtcExtraOk;
  }
  std::snprintf(message->text, sizeof message->text, "%s", regex->re.error().c_str());
  delete regex;
  return kOrtcExtraBadInput;
}

}  // namespace

OrtcExtraCode ortc_regex_compile(const char* pattern, size_t size, int32_t is_longest,
                                 OrtcRegex** out_regex, OrtcExtraMessage* message) {
  *out_regex = nullptr;
  message->text[0] = '\0';
  try {
    return compile(re2::StringPiece(pattern, size), is_longest != 0, out_regex, message);
  } catch (const std::bad_alloc&) {
    return kOrtcExtraNoMemory;
  }
}

int32_t ortc_regex_full_match(const OrtcRegex* regex, const char* text, size_t size) {
  return RE2::FullMatch(re2::StringPiece(text, size), regex->re) ? 1 : 0;
}

int32_t ortc_regex_find(const OrtcRegex* regex, const char* text, size_t size, size_t from,
                        size_t* out_begin, size_t* out_end) {
  re2::StringPiece match;
  if (!regex->re.Match(re2::StringPiece(text, size), from, size, RE2::UNANCHORED, &match, 1)) {
    return 0;
  }
  *out_begin = static_cast<size_t>(match.data() - text);
  *out_end = *out_begin + match.size();
  return 1;
}

void ortc_regex_release(OrtcRegex* regex) { delete regex; }
