// SPDX-License-Identifier: MIT
// JSON text: see the header. Bytes that are not UTF-8 are written as U+FFFD, so that the text is
// always valid.
#include "core/base/json_writer.h"

#include <charconv>
#include <cmath>

#include "core/base/utf8.h"

namespace ortc {
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) text_ += ',';
  has_items_.back() = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  has_items_.pop_back();
  return *this;
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) {
      text_ += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    const char c = text[0];
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char kDigits[] = "0123456789abcdef";
      text_ += "\\u00";
      text_ += kDigits[c >> 4];
      text_ += kDigits[c & 15];
    } else {
      text_.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  text_ += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) { return raw(flag ? "true" : "false"); }
JsonWriter& JsonWriter::value(int64_t number) { return raw(std::to_string(number)); }
JsonWriter& JsonWriter::value(uint64_t number) { return raw(std::to_string(number)); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return raw(std::string_view(buffer, static_cast<size_t>(end - buffer)));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

}  // namespace ortc
