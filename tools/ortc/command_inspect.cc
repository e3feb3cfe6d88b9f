// SPDX-License-Identifier: MIT
// ortc inspect: what is in a file, and whether it runs here. The exit code is the verdict.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/staleness.h"
#include "tools/ortc/library/verdicts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

// Green: as good as it can be; yellow: it runs; red: it does not.
std::string coloured(const Verdict& verdict, const std::string& text) {
  if (verdict.exit_code != kExitOk) return styled(stdout, Style::kRed, text);
  const bool is_optimal = std::string_view(verdict.word) == "optimal";
  return styled(stdout, is_optimal ? Style::kGreen : Style::kYellow, text);
}

// The columns that tell EPContext nodes apart; --json and --details have the rest.
std::string context_nodes_text(const Json& nodes) {
  Table table(
      {"EPContext node", "source", "data", "size", "written by", "architecture", "verdict"});
  std::string reasons;
  for (const Json& node : nodes.items()) {
    // Only the main node of a group says where the data are.
    const std::string place = node.has("file")            ? printable(node.text("file"))
                              : node.has("payload_bytes") ? "embedded"
                                                          : "as the main node";
    const Json context = node.at("context");
    const uint64_t bytes =
        node.has("payload_bytes") ? node.count("payload_bytes") : context.count("bytes");
    table.add({printable(node.text("node")), printable(node.text("source")), place,
               bytes == 0 ? "-" : size_text(bytes), printable(node.text("ep_sdk_version")),
               printable(node.text("hardware_architecture")), node.text("verdict")});
    if (!node.text("reason").empty()) {
      reasons += printable(node.text("node")) + ": " + printable(node.text("reason")) + "\n";
    }
  }
  return table.empty() ? "" : "\n" + table.text() + reasons;
}

std::string inspection_text(const Json& result) {
  Json facts = Json::object();
  for (const std::string& key : result.keys()) {
    const Json value = result.at(key);
    const bool is_shown_elsewhere =
        key == "schema" || key == "verdict" || key == "reason" || key == "ep_context_nodes";
    const bool is_empty =
        value.is_null() || (value.is_string() && value.text().empty()) ||
        ((value.is_array() || value.is_object()) && value.items().empty() && value.keys().empty());
    if (!is_shown_elsewhere && !is_empty) facts.set(key, value);
  }
  std::string text = json_text(facts) + context_nodes_text(result.at("ep_context_nodes"));
  const Verdict* verdict = find_verdict(result.text("verdict"));
  text += "\nverdict: ";
  text +=
      verdict == nullptr ? printable(result.text("verdict")) : coloured(*verdict, verdict->word);
  if (verdict != nullptr) text += std::string(" - ") + verdict->text;
  if (!result.text("reason").empty()) text += " (" + printable(result.text("reason")) + ")";
  text += "\n";
  const std::string staleness = staleness_text(result);
  if (!staleness.empty()) {
    text += styled(stdout, Style::kYellow, "note:") + " " + printable(staleness) + "\n";
  }
  return text;
}

}  // namespace

int command_inspect(const InspectArguments& arguments) {
  uint32_t flags = OrtInspectFlags_NONE;
  if (arguments.details) flags |= OrtInspectFlags_DETAILS;
  if (arguments.verify) flags |= OrtInspectFlags_VERIFY_DATA;
  const Json result = inspect_file(arguments.file, flags);
  const std::string shown = arguments.json ? result.dump() + "\n" : inspection_text(result);
  std::fputs(shown.c_str(), stdout);
  const Verdict* verdict = find_verdict(result.text("verdict"));
  return verdict == nullptr ? kExitOk : verdict->exit_code;
}

}  // namespace ortc::tool
