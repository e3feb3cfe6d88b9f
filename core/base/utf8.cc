// SPDX-License-Identifier: MIT
// UTF-8: see the header.
#include "core/base/utf8.h"

#include <cstring>

namespace ortc {

size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

size_t copy_as_utf8(std::string_view text, char* out) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  size_t size = 0;
  while (!text.empty()) {
    const size_t length = text[0] == '\0' ? 0 : utf8_length(text);
    const std::string_view piece = length != 0 ? text.substr(0, length) : kReplacement;
    if (out != nullptr) std::memcpy(out + size, piece.data(), piece.size());
    size += piece.size();
    text.remove_prefix(length != 0 ? length : 1);
  }
  return size;
}

std::string_view cut_between_characters(std::string_view text, size_t size_max) {
  if (text.size() <= size_max) return text;
  constexpr size_t kCharacterMax = 4;
  size_t size = size_max;
  while (size > 0 && size_max - size < kCharacterMax &&
         (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
    --size;
  }
  return text.substr(0, size_max - size < kCharacterMax ? size : size_max);
}

}  // namespace ortc
