// SPDX-License-Identifier: MIT
// Texts and numbers as SVG and HTML take them. Names come from files that anybody may have written:
// whatever they hold, the result is well-formed and shows what is there.
#pragma once

#include <string>
#include <string_view>

namespace ortc::tool {

// For text and for attributes in quotes. What XML does not allow, and what turns the direction of
// the text around it, becomes U+FFFD.
std::string escaped(std::string_view text);

// At most `most` characters; what is left out of the middle is "…", since names differ at the end.
std::string shortened(std::string_view text, size_t most);

// The same with the end left out, of lists.
std::string beginning(std::string_view text, size_t most);

size_t character_count(std::string_view text);

// "12", "12.5": one digit after the point, the same on every machine.
std::string coordinate(double number);

// " name="value"" with the value escaped.
std::string attribute(std::string_view name, std::string_view value);

// What a browser shows when something is pointed at.
std::string hover_title(std::string_view text);

}  // namespace ortc::tool
