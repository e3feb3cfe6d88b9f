// SPDX-License-Identifier: MIT
// ortc inspect: what is in a file, and whether it runs here. The exit code is the verdict.

#include <cstdio>

#include "tools/ortc/api.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/json.h"
#include "tools/ortc/table.h"

namespace ortc::tool {
namespace {

// The library's verdicts, what they mean to people and to scripts.
struct VerdictRow {
  const char* word;
  const char* text;
  int exit_code;
};
constexpr VerdictRow kVerdicts[] = {
    {"not_compiled", "an ordinary model: compiling it makes it load faster", kExitOk},
    {"optimal", "runs here, as it was compiled", kExitOk},
    {"prefer_recompilation", "runs here; compiled anew it would run better", kExitNeedsCompilation},
    {"broken", "does not load; compile the model anew", kExitNeedsCompilation},
    {"unsupported", "was compiled for something else and does not run here", kExitNotSupported},
    {"not_applicable", "no execution provider here can run it", kExitNotSupported},
};

const VerdictRow* verdict_of(const Json& result) {
  const std::string word = result.text("verdict");
  for (const VerdictRow& row : kVerdicts) {
    if (word == row.word) return &row;
  }
  return nullptr;
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
  const VerdictRow* verdict = verdict_of(result);
  text += "\nverdict: " + result.text("verdict");
  if (verdict != nullptr) text += std::string(" - ") + verdict->text;
  if (!result.text("reason").empty()) text += " (" + printable(result.text("reason")) + ")";
  return text + "\n";
}

}  // namespace

int command_inspect(const InspectArguments& arguments) {
  uint32_t flags = OrtInspectFlags_NONE;
  if (arguments.details) flags |= OrtInspectFlags_DETAILS;
  if (arguments.verify) flags |= OrtInspectFlags_VERIFY_DATA;
  const auto inspection = make<Inspection>(OrtInspectFile, arguments.file.c_str(), flags);
  const char* text = nullptr;
  check(OrtInspection_GetJson(inspection.get(), &text));
  const Json result = Json::parse(text);
  const std::string shown = arguments.json ? result.dump() + "\n" : inspection_text(result);
  std::fputs(shown.c_str(), stdout);
  const VerdictRow* verdict = verdict_of(result);
  return verdict == nullptr ? kExitOk : verdict->exit_code;
}

}  // namespace ortc::tool
