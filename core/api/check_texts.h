// SPDX-License-Identifier: MIT
// Texts that a program passes, of which something is wrong whatever they say.
#pragma once

#include <string_view>

#include "core/base/status.h"

namespace ortc::api {

inline Status check_text(const char* text, const char* name) {
  if (*text == '\0') return invalid_argument("'", name, "' must not be empty");
  return Status::ok();
}

// Neither the list nor one of its texts may be null.
inline Status check_texts(std::string_view what, const char* const* texts, size_t count) {
  if (count != 0 && texts == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
  }
  return {};
}

}  // namespace ortc::api
