// SPDX-License-Identifier: MIT
// JSON: see the header. The only includer of nlohmann-json in the core, which calls back for each
// token, so that bounds hold while the text is read.
#include "core/package/json_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ortc {
namespace {

// What nlohmann::json::sax_parse() calls. False ends the reading, with `fault`.
class TreeBuilder {
 public:
  using Base = nlohmann::json;

  explicit TreeBuilder(std::string_view text) : text_(text) {}

  bool null() { return add({}) != nullptr; }
  bool boolean(bool flag) { return add({JsonTree::Kind::kBool, flag, {}, {}, {}}) != nullptr; }
  bool number_integer(int64_t number) {
    return add({JsonTree::Kind::kInteger, number, {}, {}, {}}) != nullptr;
  }
  bool number_unsigned(uint64_t number) {
    if (number > INT64_MAX) return number_float(0, {});
    return number_integer(static_cast<int64_t>(number));
  }
  bool number_float(double, const std::string&) {
    return add({JsonTree::Kind::kNumber, 0, {}, {}, {}}) != nullptr;
  }
  bool string(std::string& text) {
    return is_clean(text) && add({JsonTree::Kind::kText, 0, std::move(text), {}, {}}) != nullptr;
  }
  bool binary(std::vector<uint8_t>&) { return refuse("binary values are not JSON"); }
  bool start_object(size_t) { return open(JsonTree::Kind::kObject); }
  bool start_array(size_t) { return open(JsonTree::Kind::kArray); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    const JsonTree& object = *open_.back();
    std::vector<std::string_view> names;
    for (const JsonMember& member : object.members) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return refuse(str_cat("an object has '", *twice, "' twice"));
    open_.pop_back();
    return true;
  }
  bool key(std::string& name) {
    if (!is_clean(name)) return false;
    open_.back()->members.push_back({std::move(name), {}});
    return true;
  }
  bool parse_error(size_t position, const std::string&, const std::exception&) {
    const size_t at = std::min(position, text_.size());
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n');
    return refuse(str_cat("no JSON: line ", line, ", byte ", position));
  }

  JsonTree take_root() { return std::move(root_); }
  const std::string& fault() const { return fault_; }

 private:
  bool refuse(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }
  bool is_clean(const std::string& text) {
    return text.find('\0') == std::string::npos || refuse("a text has a zero byte");
  }
  bool open(JsonTree::Kind kind) {
    if (open_.size() == kJsonDepthMax) {
      return refuse(str_cat("values are nested more than ", kJsonDepthMax, " deep"));
    }
    JsonTree* opened = add({kind, 0, {}, {}, {}});
    if (opened == nullptr) return false;
    open_.push_back(opened);
    return true;
  }
  // Objects and arrays that are open do not move: only the innermost one grows.
  JsonTree* add(JsonTree value) {
    if (++count_ > kJsonValuesMax) {
      refuse(str_cat("more than ", kJsonValuesMax, " values"));
      return nullptr;
    }
    JsonTree* place = &root_;
    if (!open_.empty() && open_.back()->is_object()) {
      place = &open_.back()->members.back().value;
    } else if (!open_.empty()) {
      place = &open_.back()->items.emplace_back();
    }
    *place = std::move(value);
    return place;
  }

  std::string_view text_;
  JsonTree root_;
  std::vector<JsonTree*> open_;  // outer first
  size_t count_ = 0;
  std::string fault_;
};

}  // namespace

const JsonTree* JsonTree::find(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const JsonMember& member) { return member.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

Result<JsonTree> parse_json(Bytes bytes) {
  if (bytes.size() > kJsonBytesMax) {
    return invalid_graph("it has ", bytes.size(), " bytes, expected at most ", kJsonBytesMax);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  TreeBuilder builder(text);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return invalid_graph(builder.fault().empty() ? "no JSON" : builder.fault());
  }
  return builder.take_root();
}

std::string_view kind_text(const JsonTree& value) {
  switch (value.kind) {
    case JsonTree::Kind::kNull:
      return "null";
    case JsonTree::Kind::kBool:
      return "true or false";
    case JsonTree::Kind::kInteger:
    case JsonTree::Kind::kNumber:
      return "a number";
    case JsonTree::Kind::kText:
      return "a text";
    case JsonTree::Kind::kArray:
      return "an array";
    case JsonTree::Kind::kObject:
      return "an object";
  }
  return "nothing";
}

}  // namespace ortc
