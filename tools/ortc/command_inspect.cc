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

// Where the data of a node are, and whether they are there.
std::string place_text(const Json& node) {
  if (node.has("payload_bytes")) return "embedded";
  if (!node.has("file")) return "as the main node";
  return printable(node.text("file")) + (node.flag("found") ? "" : " (missing)");
}

// "zstd, 49.3 KiB less (36.9 %)".
std::string storage_text(const Json& context) {
  const double full = context.number("data_bytes"), saved = context.number("saved_bytes");
  if (!context.has("codec")) return "-";
  if (full <= 0 || saved <= 0) return context.text("codec");
  char percent[32];
  std::snprintf(percent, sizeof percent, " (%.1f %%)", saved / full * 100);
  return context.text("codec") + ", " + size_text(context.count("saved_bytes")) + " less" + percent;
}

// The columns that tell EPContext nodes apart; --json and --details have the rest.
std::string context_nodes_text(const Json& nodes) {
  Table table({"EPContext node", "source", "group", "main", "data", "size", "codec", "target",
               "kernels", "verdict"});
  std::string reasons;
  for (const Json& node : nodes.items()) {
    const Json context = node.at("context");
    uint64_t bytes = context.count("bytes");
    for (const char* size : {"payload_bytes", "file_bytes"}) {
      if (node.has(size)) bytes = node.count(size);
    }
    const std::string name = printable(node.text("node"));
    const std::string target =
        context.has("target") ? context.text("target") : node.text("hardware_architecture");
    table.add({name, printable(node.text("source")), node.text("group"),
               node.flag("main_context") ? "yes" : "no", place_text(node),
               bytes == 0 ? "-" : size_text(bytes), storage_text(context), printable(target),
               context.text("fingerprint").substr(0, 8), node.text("verdict")});
    if (!node.text("reason").empty()) {
      reasons += name + ": " + printable(node.text("reason")) + "\n";
    }
    if (node.text("verdict") != "optimal") {
      reasons += name + ": " + printable(node.text("advice")) + "\n";
    }
  }
  return table.empty() ? "" : "\n" + table.text() + reasons;
}

// As the text shows them: the type has the dimensions.
Json named_types(const Json& ports) {
  Json rows = Json::array();
  for (const Json& port : ports.items()) {
    rows.push(Json::object().set("name", port.at("name")).set("type", port.at("type")));
  }
  return rows;
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
    const bool is_ports = key == "inputs" || key == "outputs" || key == "overridable_initializers";
    if (!is_shown_elsewhere && !is_empty) facts.set(key, is_ports ? named_types(value) : value);
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
  if (!arguments.picture.empty()) return command_picture(arguments);
  if (arguments.files.size() > 1) {
    throw usage_error("ortc inspect: one argument too many, '" + arguments.files[1] +
                      "' (several models need --picture FILE.html)");
  }
  uint32_t flags = OrtInspectFlags_NONE;
  if (arguments.details) flags |= OrtInspectFlags_DETAILS;
  if (arguments.verify) flags |= OrtInspectFlags_VERIFY_DATA;
  const Json result = inspect_file(arguments.files.front(), flags);
  const std::string shown = arguments.json ? result.dump() + "\n" : inspection_text(result);
  std::fputs(shown.c_str(), stdout);
  const Verdict* verdict = find_verdict(result.text("verdict"));
  return verdict == nullptr ? kExitOk : verdict->exit_code;
}

}  // namespace ortc::tool
