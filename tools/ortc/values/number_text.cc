// SPDX-License-Identifier: MIT
// No locale, no blanks, no overflow.

#include "tools/ortc/values/number_text.h"

#include <charconv>
#include <cmath>

#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

template <typename T>
bool is_whole(const std::string& text, T& number) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

uint64_t parse_count(const std::string& text, uint64_t limit, const std::string& what) {
  uint64_t number = 0;
  if (!is_whole(text, number)) throw usage_error(what + ": '" + text + "'");
  if (number <= limit) return number;
  throw usage_error(what + ": '" + text + "', more than " + std::to_string(limit));
}

double parse_real(const std::string& text, const std::string& what) {
  double number = 0;
  if (!is_whole(text, number) || !std::isfinite(number)) {
    throw usage_error(what + ": expected a number, found '" + text + "'");
  }
  return number;
}

uint64_t parse_element(const std::string& text, const ElementForm& form, const std::string& what) {
  uint64_t bits = 0;
  if (is_whole(text, bits) && bits <= form.high()) return bits;
  int64_t number = 0;
  if (is_whole(text, number) && number < 0 && number >= form.low()) {
    return static_cast<uint64_t>(number);
  }
  throw usage_error(what + ": expected a whole number from " + std::to_string(form.low()) + " to " +
                    std::to_string(form.high()) + ", found '" + text + "'");
}

}  // namespace ortc::tool
