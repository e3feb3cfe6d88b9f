// SPDX-License-Identifier: MIT
// Case mappings: see the header. The table is sorted, so a code point's range is found by
// bisection.
#include "providers/cpu/text/unicode_case.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace ortc::cpu {
namespace {

struct CaseRange {
  uint32_t first, last;
  uint32_t step;
  int32_t delta;
};

#define ORTC_TAKE_lower(...) {__VA_ARGS__},
#define ORTC_TAKE_upper(...)
#define ORTC_CASE_RANGE(table, ...) ORTC_TAKE_##table(__VA_ARGS__)
constexpr CaseRange kLower[] = {
#include "providers/cpu/text/unicode_case_list.inc"
};
#undef ORTC_TAKE_lower
#undef ORTC_TAKE_upper
#define ORTC_TAKE_lower(...)
#define ORTC_TAKE_upper(...) {__VA_ARGS__},
constexpr CaseRange kUpper[] = {
#include "providers/cpu/text/unicode_case_list.inc"
};
#undef ORTC_TAKE_lower
#undef ORTC_TAKE_upper
#undef ORTC_CASE_RANGE

uint32_t mapped(std::span<const CaseRange> table, uint32_t code) {
  const auto it = std::ranges::lower_bound(table, code, {}, &CaseRange::last);
  if (it == table.end() || code < it->first || (code - it->first) % it->step != 0) return code;
  return code + static_cast<uint32_t>(it->delta);
}

// The length of the character at the front and its code point; 0 when it is not UTF-8.
size_t decode(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc0 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
  if (length == 0 || first >= 0xf8 || text.size() < length) return 0;
  *code = length == 1 ? first : first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte(i) & 0x3f);
  }
  return length;
}

void encode(uint32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[more] | code >> (6 * more));
  for (int i = more; i-- > 0;) text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
}

std::string map_text(std::span<const CaseRange> table, std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = decode(text, &code);
    if (length == 0) {
      result += text.front();
    } else {
      encode(mapped(table, code), result);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

}  // namespace

std::string to_lower(std::string_view text) { return map_text(kLower, text); }
std::string to_upper(std::string_view text) { return map_text(kUpper, text); }

}  // namespace ortc::cpu
