// SPDX-License-Identifier: MIT
// Upper and lower case of UTF-8 texts by Unicode's simple mappings, one character to one,
// independent of any locale. All of them stand in a table that tools/generate_unicode_case.py
// writes; no library would add any.
#pragma once

#include <string>
#include <string_view>

namespace ortc::cpu {

// Bytes that are not UTF-8 stay as they are.
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

}  // namespace ortc::cpu
