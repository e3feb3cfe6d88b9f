// SPDX-License-Identifier: MIT
// What staged files are called: ".<name>.<16 hexadecimal digits>.tmp". A name too long for that is
// shortened, between two characters. What an ended program left is known by it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ortc {

// A new one for the file `name` (a plain name), with digits that no other one has.
Result<std::string> make_staged_name(std::string_view name);
bool is_staged_name(std::string_view name);
// `path`: of the file as it is called in the end; its last component counts.
bool is_staged_name_of(std::string_view staged, std::string_view path);

}  // namespace ortc
