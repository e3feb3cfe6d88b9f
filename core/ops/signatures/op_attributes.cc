// SPDX-License-Identifier: MIT
// Attributes of operators: see the header.
#include "core/ops/signatures/op_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "core/ops/signatures/layout_sensitive.h"

namespace ortc {
namespace {

struct AttributeRow {
  std::string_view domain, op_type;
  std::string_view attributes;  // see the file
};

constexpr AttributeRow kRows[] = {
#include "core/ops/signatures/op_attributes.inc"
};

constexpr bool is_before(const AttributeRow& a, const AttributeRow& b) {
  return std::tie(a.domain, a.op_type) < std::tie(b.domain, b.op_type);
}
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows), is_before));

// Null for operators that have none, or are not known.
const AttributeRow* find_row(std::string_view domain, std::string_view op_type) {
  const AttributeRow key{standard_domain(domain == "ai.onnx" ? "" : domain, op_type), op_type, {}};
  const auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), key, is_before);
  return row == std::end(kRows) || is_before(key, *row) ? nullptr : row;
}

struct Listed {
  std::string_view name;
  char kind = 0;
  int64_t first = 0, last = INT64_MAX;  // opsets that have it
};

int64_t number_of(std::string_view text, int64_t otherwise) {
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

// Takes "name:kind@first-last" away from the front; the name of "*" is that.
Listed take_listed(std::string_view& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  Listed listed;
  const size_t colon = word.find(':'), at = word.find('@'), dash = word.find('-');
  listed.name = word.substr(0, colon);
  if (colon != std::string_view::npos) listed.kind = word[colon + 1];
  if (at != std::string_view::npos) listed.first = number_of(word.substr(at + 1), 0);
  if (dash != std::string_view::npos) listed.last = number_of(word.substr(dash + 1), 0);
  return listed;
}

// By the values of AttributeKind: the letter of the list, and ONNX's name.
struct KindName {
  char letter;
  std::string_view name;
};
constexpr std::array kKinds = {
    KindName{0, "UNDEFINED"},      KindName{'f', "FLOAT"},      KindName{'i', "INT"},
    KindName{'s', "STRING"},       KindName{'t', "TENSOR"},     KindName{'g', "GRAPH"},
    KindName{'F', "FLOATS"},       KindName{'I', "INTS"},       KindName{'S', "STRINGS"},
    KindName{0, "TENSORS"},        KindName{0, "GRAPHS"},       KindName{'p', "SPARSE_TENSOR"},
    KindName{0, "SPARSE_TENSORS"}, KindName{'y', "TYPE_PROTO"}, KindName{0, "TYPE_PROTOS"},
};

std::string_view name_of_kind(char letter) {
  return std::ranges::find(kKinds, letter, &KindName::letter)->name;
}

Status check_attribute(const Node& node, const Attribute& attribute, std::string_view listing) {
  const KindName found = kKinds[static_cast<size_t>(attribute.kind)];
  std::string names;
  while (!listing.empty()) {
    const Listed listed = take_listed(listing);
    if (listed.name == "*") return Status::ok();
    if (node.opset() < listed.first || node.opset() > listed.last) continue;
    if (listed.name == attribute.name) {
      if (listed.kind == found.letter) return Status::ok();
      return invalid_graph("attribute '", attribute.name, "': expected ", name_of_kind(listed.kind),
                           ", found ", found.name);
    }
    names += str_cat(names.empty() ? "" : ", ", listed.name);
  }
  return invalid_graph("attribute '", attribute.name, "' is not one of opset ", node.opset(),
                       ", expected ", names.empty() ? std::string("none") : names);
}

}  // namespace

bool may_have_attribute(std::string_view domain, std::string_view op_type, std::string_view name) {
  const AttributeRow* row = find_row(domain, op_type);
  for (std::string_view rest = row != nullptr ? row->attributes : ""; !rest.empty();) {
    if (take_listed(rest).name == name) return name != "*";
  }
  return false;
}

Status check_attributes(const Node& node) {
  // What is wrong with a context node, its reader says.
  if (node.attributes().empty() || node.is_op("EPContext", kMicrosoftDomain)) return Status::ok();
  const AttributeRow* row = find_row(node.domain(), node.op_type());
  if (row == nullptr && node.domain() == kMicrosoftDomain) return Status::ok();
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.name.starts_with("__")) continue;  // ONNX's sign for private ones
    RETURN_IF_ERROR(
        check_attribute(node, attribute, row != nullptr ? row->attributes : std::string_view()));
  }
  return Status::ok();
}

}  // namespace ortc
