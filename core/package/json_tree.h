// SPDX-License-Identifier: MIT
// A JSON text from outside as a tree: bounded in size, depth and number of values, without
// duplicate members and without zero bytes in texts. Only json_tree.cc knows the parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

struct JsonMember;

struct JsonTree {
  enum class Kind : uint8_t { kNull, kBool, kInteger, kNumber, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  int64_t integer = 0;              // of kInteger; kBool has 0 or 1
  std::string text;                 // of kText
  std::vector<JsonTree> items;      // of kArray
  std::vector<JsonMember> members;  // of kObject, in the order of the text

  bool is_text() const { return kind == Kind::kText; }
  bool is_object() const { return kind == Kind::kObject; }
  // Null when there is none.
  const JsonTree* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  JsonTree value;
};

inline constexpr size_t kJsonBytesMax = 4 << 20;
inline constexpr size_t kPackageJsonBytesMax = 2 * kJsonBytesMax;  // of all files together
inline constexpr size_t kJsonDepthMax = 64;
inline constexpr size_t kJsonValuesMax = 256 << 10;

// INVALID_GRAPH says what is wrong and in which line. Floating-point numbers are not kept: nothing
// here reads one.
Result<JsonTree> parse_json(Bytes text);

// "a text", "an object": for messages.
std::string_view kind_text(const JsonTree& value);

}  // namespace ortc
