// SPDX-License-Identifier: MIT
// Numbers that were written on the command line, whole or not at all. `what` begins the usage error
// for a text that is not such a number.
#pragma once

#include <cstdint>
#include <string>

#include "tools/ortc/values/element_forms.h"

namespace ortc::tool {

// Digits only, at most `limit`.
uint64_t parse_count(const std::string& text, uint64_t limit, const std::string& what);
// A finite number.
double parse_real(const std::string& text, const std::string& what);
// An integer that the element type can hold, as its bits.
uint64_t parse_element(const std::string& text, const ElementForm& form, const std::string& what);

}  // namespace ortc::tool
