// SPDX-License-Identifier: MIT
// Results for people: aligned tables, sizes and times with units, and any JSON object as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ortc/output/json.h"

namespace ortc::tool {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // For stdout. Columns two blanks apart; those that hold numbers only are set flush right.
  std::string text(size_t indent = 0) const;

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

std::string size_text(uint64_t bytes);                          // "106.3 MiB", "512 B"
std::string time_text(double nanoseconds);                      // "1.25 ms", "3.40 s"
std::string number_text(double number);                         // six significant digits
std::string count_text(size_t count, const std::string& noun);  // "1 node", "2 nodes"

// Names of models must not command the terminal: control characters become question marks, and so
// does what is not UTF-8.
std::string printable(std::string text);

// Any report as text: objects become lines "name  value", arrays of objects tables. Members called
// bytes, ns or ms, or ending so, are sizes and times.
std::string json_text(const Json& value, size_t indent = 0);

}  // namespace ortc::tool
