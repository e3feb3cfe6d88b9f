// SPDX-License-Identifier: MIT
// Upper and lower case of UTF-8 texts by Unicode's simple mappings, independent of any locale.
#pragma once

#include <string>
#include <string_view>

namespace ortc::cpu {

// Bytes that are not UTF-8 stay as they are.
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

}  // namespace ortc::cpu
