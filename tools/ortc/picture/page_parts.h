// SPDX-License-Identifier: MIT
// The HTML around pictures. Texts are escaped here, those called `inside` are HTML already.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ortc::tool {

std::string page_head(const std::string& title);
std::string page_end();
std::string note(const std::string& text);
std::string scrolled(const std::string& inside);  // as wide as it is, behind a window
// Closed until the reader opens it, or follows a link to `id`.
std::string details(const std::string& id, const std::string& title, const std::string& text,
                    const std::string& inside);

// Columns whose first cell is a number are aligned to the right.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(const std::vector<std::string>& cells);
  std::string text() const;

 private:
  std::string row(const std::string& tag, const std::vector<std::string>& cells) const;

  std::vector<std::string> columns_;
  std::vector<bool> is_right_;
  std::string rows_;
};

}  // namespace ortc::tool
