// SPDX-License-Identifier: MIT
// Literals are JSON; "1,2,3" is short for "[1,2,3]".

#include "tools/ortc/values/literals.h"

#include <algorithm>
#include <charconv>

#include "tools/ortc/values/element_forms.h"
#include "tools/ortc/values/made_up.h"
#include "tools/ortc/values/number_text.h"
#include "tools/ortc/values/texts.h"

namespace ortc::tool {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxShown = 200;  // of a text in an error

// To be asked before parsing: trees are copied and walked by functions that call themselves.
void refuse_depth(const std::string& text) {
  size_t depth = 0;
  for (char c : text) {
    if (c == '[' || c == '{') depth++;
    if ((c == ']' || c == '}') && depth > 0) depth--;
    if (depth > kMaxDepth) throw usage_error("a value has lists deeper than 64");
  }
}

// Lists in lists, all of one length at each depth: their lengths, and the values in order.
void flatten(const Json& literal, size_t depth, std::vector<int64_t>& shape,
             std::vector<Json>& values, const std::string& what) {
  if (!literal.is_array()) {
    if (depth != shape.size()) throw usage_error(what + ": lists and values stand side by side");
    values.push_back(literal);
    return;
  }
  const std::vector<Json> items = literal.items();
  const auto length = static_cast<int64_t>(items.size());
  // Only the first way down makes the shape; the values tell whether it was gone.
  if (depth == shape.size() && values.empty()) shape.push_back(length);
  if (depth >= shape.size()) throw usage_error(what + ": lists and values stand side by side");
  if (shape[depth] != length) {
    throw usage_error(what + ": the lists are not of equal length");
  }
  for (const Json& item : items) flatten(item, depth + 1, shape, values, what);
}

std::string sizes_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ",") + (size < 0 ? "?" : std::to_string(size));
  return "[" + text + "]";
}

std::vector<std::byte> element_of(const Json& value, const ElementForm& form,
                                  ONNXTensorElementDataType type, const std::string& what) {
  std::vector<std::byte> bytes(form.file_bytes());
  const bool is_right =
      form.is_float() ? value.is_number()
                      : value.is_integer() || (form.family == Family::kBool && value.is_bool());
  if (!form.is_number() || !is_right) {
    throw usage_error(what + ": expected " + std::string(element_name(type)) + ", found " +
                      value.dump(/*indented=*/false));
  }
  if (form.is_float()) {
    store_float(bytes.data(), form, value.number());
  } else {
    const std::string text = value.is_bool() ? (value.text() == "true" ? "1" : "0") : value.text();
    store_integer(bytes.data(), form, parse_element(text, form, what));
  }
  return bytes;
}

}  // namespace

std::vector<int64_t> filled_shape(std::vector<int64_t> shape, int64_t count,
                                  const std::string& what) {
  int64_t product = 1;
  size_t open_count = 0, open = 0;
  for (size_t i = 0; i < shape.size(); i++) {
    if (shape[i] >= 0) {
      product = shape[i] == 0 || product <= count / shape[i] ? product * shape[i] : count + 1;
    } else {
      open = i, open_count++;
    }
  }
  const bool fits =
      open_count == 0 ? product == count : open_count == 1 && product > 0 && count % product == 0;
  if (!fits) {
    throw usage_error(what + ": " + std::to_string(count) + " values do not fill the shape " +
                      sizes_text(shape));
  }
  if (open_count == 1) shape[open] = count / product;
  return shape;
}

bool parse_literal(const std::string& text, Json& literal) {
  if (text.empty()) return false;
  refuse_depth(text);
  const bool is_list = text.front() == '[' || text.front() == '"';
  const bool is_row = !is_list && text.find(',') != std::string::npos;
  try {
    literal = Json::parse(is_row ? "[" + text + "]" : text);
  } catch (const ToolError&) {
    if (is_list) {
      throw usage_error("'" + text.substr(0, kMaxShown) + "' is not a list that can be read");
    }
    return false;
  }
  return !literal.is_object() && !literal.is_null();
}

bool parse_beyond_json(const std::string& text, const std::string& what, double& number) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ptr != end || text.empty()) return false;
  if (result.ec == std::errc::result_out_of_range) {
    throw usage_error(what + ": '" + text + "' is beyond what a double holds");
  }
  return result.ec == std::errc();
}

NpyArray filled_array(double number, ONNXTensorElementDataType type,
                      const std::vector<int64_t>* shape, const std::string& what) {
  const ElementForm& form = form_of(type);
  if (!form.is_float()) {
    throw usage_error(what + ": expected " + std::string(element_name(type)) + ", found " +
                      std::to_string(number));
  }
  NpyArray array{form.descr, shape != nullptr ? *shape : std::vector<int64_t>(), {}};
  for (int64_t& size : array.shape) size = size < 0 ? 1 : size;
  array.data.resize(checked_bytes(type, array.shape, what));
  for (size_t at = 0; at < array.data.size(); at += form.file_bytes()) {
    store_float(array.data.data() + at, form, number);
  }
  return array;
}

NpyArray literal_array(const Json& literal, ONNXTensorElementDataType type,
                       const std::vector<int64_t>* shape, const std::string& what) {
  const ElementForm& form = form_of(type);
  std::vector<int64_t> written;
  std::vector<Json> values;
  flatten(literal, 0, written, values, what);
  NpyArray array{form.descr, written, {}};
  if (shape != nullptr && written.empty()) {
    array.shape = *shape;
    for (int64_t& size : array.shape) size = size < 0 ? 1 : size;
  } else if (shape != nullptr && written.size() == 1) {
    array.shape = filled_shape(*shape, written[0], what);
  }
  checked_bytes(type, array.shape, what);
  const bool is_single = written.empty();
  const size_t count = is_single ? array.element_count() : values.size();
  if (form.family == Family::kString) {
    std::vector<std::string> texts(count);
    for (size_t i = 0; i < count; i++) {
      const Json& value = values[is_single ? 0 : i];
      if (!value.is_string()) throw usage_error(what + ": expected texts in quotes");
      texts[i] = value.text();
    }
    return array_of_texts(texts, std::move(array));
  }
  const size_t size = form.file_bytes();
  array.data.resize(count * size);
  std::vector<std::byte> element;
  for (size_t i = 0; i < count; i++) {
    if (!is_single || i == 0) element = element_of(values[is_single ? 0 : i], form, type, what);
    std::copy(element.begin(), element.end(),
              array.data.begin() + static_cast<ptrdiff_t>(i * size));
  }
  return array;
}

}  // namespace ortc::tool
