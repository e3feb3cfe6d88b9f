// SPDX-License-Identifier: MIT
// UTF-8 is taken apart once, here.

#include "tools/ortc/picture/markup.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace ortc::tool {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// One character from `at` on; `size` is 1 for a byte that begins none.
struct Character {
  uint32_t code;
  size_t size;
  bool is_valid;
};

Character character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return {first, 1, false};
  uint32_t code = first & (0x7Fu >> size);
  for (size_t i = at + 1; i < at + size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {first, 1, false};
    code = code << 6 | (byte(i) & 0x3F);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool is_valid = code >= kLeast[size] && code <= 0x10FFFF && !is_surrogate;
  return {code, is_valid ? size : 1, is_valid};
}

bool turns_direction(uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x061C;
}

bool can_be_shown(const Character& character) {
  const uint32_t code = character.code;
  const bool is_control = (code < 0x20 && code != '\n' && code != '\t') ||
                          (code >= 0x7F && code < 0xA0) || (code & 0xFFFE) == 0xFFFE;
  return character.is_valid && !is_control && !turns_direction(code);
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t size = character_at(text, at).size;
    characters.push_back(text.substr(at, size));
    at += size;
  }
  return characters;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    at += character.size;
    if (!can_be_shown(character)) {
      out += kReplacement;
    } else if (bytes == "&") {
      out += "&amp;";
    } else if (bytes == "<") {
      out += "&lt;";
    } else if (bytes == ">") {
      out += "&gt;";
    } else if (bytes == "\"") {
      out += "&quot;";
    } else if (bytes == "'") {
      out += "&#39;";
    } else {
      out += bytes;
    }
  }
  return out;
}

std::string shortened(std::string_view text, size_t most) {
  const auto characters = characters_of(text);
  if (characters.size() <= most) return std::string(text);
  const size_t front = most / 3, back = most - front - 1;
  std::string out;
  for (size_t i = 0; i < front; ++i) out += characters[i];
  out += "…";
  for (size_t i = characters.size() - back; i < characters.size(); ++i) out += characters[i];
  return out;
}

std::string beginning(std::string_view text, size_t most) {
  const auto characters = characters_of(text);
  if (characters.size() <= most) return std::string(text);
  std::string out;
  for (size_t i = 0; i + 1 < most; ++i) out += characters[i];
  return out + "…";
}

size_t character_count(std::string_view text) { return characters_of(text).size(); }

std::string coordinate(double number) {
  const long long tenths = std::llround(number * 10);
  const long long whole = std::llabs(tenths) / 10, digit = std::llabs(tenths) % 10;
  std::string out = (tenths < 0 ? "-" : "") + std::to_string(whole);
  if (digit != 0) out += "." + std::to_string(digit);
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string hover_title(std::string_view text) { return "<title>" + escaped(text) + "</title>"; }

}  // namespace ortc::tool
