// SPDX-License-Identifier: MIT
// Names of dimensions may have any characters: "2N" and "a,b" are names too.

#include "tools/ortc/library/dimensions.h"

#include <algorithm>
#include <vector>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"

namespace ortc::tool {
namespace {

void add_names(const Json& input, std::vector<std::string>& names) {
  for (const Json& dimension : input.at("dimensions").items()) {
    const std::string name = dimension.is_string() ? dimension.text() : "";
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
}

}  // namespace

void check_dimensions(const std::string& model, const Pairs& dimensions) {
  if (dimensions.empty()) return;
  std::vector<std::string> names;
  try {
    for (const Json& input : inspect_file(model, OrtInspectFlags_NONE).at("inputs").items()) {
      add_names(input, names);
    }
  } catch (const ToolError&) {
    return;
  }
  for (const auto& [name, size] : dimensions) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string list;
    for (const std::string& known : names) list += " '" + known + "'";
    throw usage_error("--dim: no input has an open dimension '" + name + "'; there is" +
                      (list.empty() ? " none" : list) + did_you_mean(name, names));
  }
}

}  // namespace ortc::tool
