// SPDX-License-Identifier: MIT
// A JSON value with the members of its objects in order: read from the library's reports, or built
// for --json. Reading never fails: what is missing or of another kind is null, 0 or empty, so that
// reports of other releases can be shown as far as they go. Only json.cc knows the parser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ortc::tool {

class Json {
 public:
  Json();  // null
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(bool flag);
  Json(int number) : Json(static_cast<int64_t>(number)) {}
  Json(int64_t number);
  Json(uint64_t number);
  Json(double number);  // null when not finite
  static Json object();
  static Json array();
  // Throws ToolError for a text that is not JSON.
  static Json parse(std::string_view text);

  // Building.
  Json& set(std::string_view key, const Json& value);
  Json& push(const Json& value);
  std::string dump(bool indented = true) const;

  // Reading.
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_number() const;
  bool is_integer() const;
  bool is_string() const;
  bool is_bool() const;
  bool has(std::string_view key) const;
  Json at(std::string_view key) const;
  std::vector<Json> items() const;        // of an array
  std::vector<std::string> keys() const;  // of an object
  std::string text() const;               // of a string; else as dump() gives it, null is empty
  std::string text(std::string_view key) const;
  double number() const;
  double number(std::string_view key) const;
  uint64_t count(std::string_view key) const;
  bool flag(std::string_view key) const;

 private:
  struct Tree;
  explicit Json(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

}  // namespace ortc::tool
