// SPDX-License-Identifier: MIT
// Names are taken from types as an inspection writes them, "float32[batch,1,8,8]".

#include "tools/ortc/library/dimensions.h"

#include <algorithm>
#include <vector>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"

namespace ortc::tool {
namespace {

void add_names(const std::string& type, std::vector<std::string>& names) {
  const size_t open = type.find('['), close = type.rfind(']');
  if (open == std::string::npos || close == std::string::npos) return;
  for (size_t at = open + 1; at < close;) {
    const size_t end = std::min(type.find(',', at), close);
    const std::string name = type.substr(at, end - at);
    const bool is_name = !name.empty() && name != "?" && (name[0] < '0' || name[0] > '9');
    if (is_name && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
    at = end + 1;
  }
}

}  // namespace

void check_dimensions(const std::string& model, const Pairs& dimensions) {
  if (dimensions.empty()) return;
  std::vector<std::string> names;
  try {
    for (const Json& input : inspect_file(model, OrtInspectFlags_NONE).at("inputs").items()) {
      add_names(input.text("type"), names);
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
