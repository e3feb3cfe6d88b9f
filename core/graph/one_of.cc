// SPDX-License-Identifier: MIT
// Attributes that are one of several names: see the header.
#include "core/graph/one_of.h"

#include <algorithm>

namespace ortc {
namespace {

Status is_none_of(std::string_view attribute, std::string_view found,
                  std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    if (!list.empty()) list += ", ";
    list += name;
  }
  return invalid_graph("attribute '", attribute, "' is '", found, "', expected one of ", list);
}

}  // namespace

Result<uint32_t> one_of(const Node& node, std::string_view attribute, std::string_view otherwise,
                        std::initializer_list<std::string_view> names) {
  const std::string_view found = node.string_attribute(attribute, otherwise);
  const auto* place = std::find(names.begin(), names.end(), found);
  if (place == names.end()) return is_none_of(attribute, found, names);
  return static_cast<uint32_t>(place - names.begin());
}

}  // namespace ortc
