// SPDX-License-Identifier: MIT
// A JSON object, written member by member.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

class JsonText {
 public:
  JsonText& add(const std::string& key, double value);
  JsonText& add(const std::string& key, uint64_t value);
  JsonText& add(const std::string& key, const std::string& value);
  JsonText& add(const std::string& key, const JsonText& object);
  std::string text() const { return "{" + members_ + "}"; }

 private:
  JsonText& add_raw(const std::string& key, const std::string& value);
  std::string members_;
};

}  // namespace bench
