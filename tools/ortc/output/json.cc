// SPDX-License-Identifier: MIT
// The only includer of nlohmann-json.

#include "tools/ortc/output/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/ortc/library/api.h"

namespace ortc::tool {

using nlohmann::ordered_json;

struct Json::Tree {
  ordered_json value;
};

Json::Json() : tree_(std::make_unique<Tree>()) {}
Json::Json(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
Json::Json(const Json& other) : tree_(std::make_unique<Tree>(*other.tree_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  tree_ = std::move(other.tree_);
  return *this;
}
Json::~Json() = default;

Json::Json(std::string_view text) : Json() { tree_->value = std::string(text); }
Json::Json(bool flag) : Json() { tree_->value = flag; }
Json::Json(int64_t number) : Json() { tree_->value = number; }
Json::Json(uint64_t number) : Json() { tree_->value = number; }
Json::Json(double number) : Json() {
  if (std::isfinite(number)) tree_->value = number;
}

Json Json::object() { return Json(std::make_unique<Tree>(Tree{ordered_json::object()})); }
Json Json::array() { return Json(std::make_unique<Tree>(Tree{ordered_json::array()})); }

Json Json::parse(std::string_view text) {
  auto value = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) throw failure("the library's report is not JSON");
  return Json(std::make_unique<Tree>(Tree{std::move(value)}));
}

Json& Json::set(std::string_view key, const Json& value) {
  tree_->value[std::string(key)] = value.tree_->value;
  return *this;
}

Json& Json::push(const Json& value) {
  tree_->value.push_back(value.tree_->value);
  return *this;
}

std::string Json::dump(bool indented) const {
  return tree_->value.dump(indented ? 2 : -1, ' ', /*ensure_ascii=*/false,
                           ordered_json::error_handler_t::replace);
}

bool Json::is_null() const { return tree_->value.is_null(); }
bool Json::is_object() const { return tree_->value.is_object(); }
bool Json::is_array() const { return tree_->value.is_array(); }
bool Json::is_number() const { return tree_->value.is_number(); }
bool Json::is_integer() const { return tree_->value.is_number_integer(); }
bool Json::is_string() const { return tree_->value.is_string(); }
bool Json::is_bool() const { return tree_->value.is_boolean(); }

bool Json::has(std::string_view key) const {
  return is_object() && tree_->value.contains(std::string(key));
}

Json Json::at(std::string_view key) const {
  if (!has(key)) return {};
  return Json(std::make_unique<Tree>(Tree{tree_->value[std::string(key)]}));
}

std::vector<Json> Json::items() const {
  std::vector<Json> result;
  if (!is_array()) return result;
  for (const ordered_json& item : tree_->value) {
    result.push_back(Json(std::make_unique<Tree>(Tree{item})));
  }
  return result;
}

std::vector<std::string> Json::keys() const {
  std::vector<std::string> result;
  if (!is_object()) return result;
  for (const auto& entry : tree_->value.items()) result.push_back(entry.key());
  return result;
}

std::string Json::text() const {
  if (is_null()) return {};
  return is_string() ? tree_->value.get<std::string>() : dump(/*indented=*/false);
}

double Json::number() const { return is_number() ? tree_->value.get<double>() : 0.0; }
std::string Json::text(std::string_view key) const { return at(key).text(); }
double Json::number(std::string_view key) const { return at(key).number(); }

uint64_t Json::count(std::string_view key) const {
  const Json value = at(key);
  if (!value.is_integer()) return 0;
  return value.number() < 0 ? 0 : value.tree_->value.get<uint64_t>();
}

bool Json::flag(std::string_view key) const {
  const Json value = at(key);
  return value.is_bool() && value.tree_->value.get<bool>();
}

}  // namespace ortc::tool
