// SPDX-License-Identifier: MIT
// Strings come from error texts and file names: control characters and quotes are escaped.
#include "bench/driver/json_text.h"

#include <cstdio>

namespace bench {
namespace {

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

JsonText& JsonText::add_raw(const std::string& key, const std::string& value) {
  members_ += (members_.empty() ? "" : ", ") + quoted(key) + ": " + value;
  return *this;
}

JsonText& JsonText::add(const std::string& key, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return add_raw(key, text);
}

JsonText& JsonText::add(const std::string& key, uint64_t value) {
  return add_raw(key, std::to_string(value));
}

JsonText& JsonText::add(const std::string& key, const std::string& value) {
  return add_raw(key, quoted(value));
}

JsonText& JsonText::add(const std::string& key, const JsonText& object) {
  return add_raw(key, object.text());
}

}  // namespace bench
