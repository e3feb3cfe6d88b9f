// SPDX-License-Identifier: MIT
// Texts that leave the library are UTF-8, whatever the names in a model are.
#pragma once

#include <cstddef>
#include <string_view>

namespace ortc {

// Length of the valid sequence at the front of a text that is not empty; 0 when there is none.
size_t utf8_length(std::string_view text);

// Copies the text with U+FFFD in place of each byte that is not UTF-8, and of zero bytes, which
// would end it in C. Returns the size; `out` may be null.
size_t copy_as_utf8(std::string_view text, char* out);

// The front of the text, at most `size_max` bytes of it, that ends between two characters. What is
// not UTF-8 is cut anywhere.
std::string_view cut_between_characters(std::string_view text, size_t size_max);

}  // namespace ortc
