// SPDX-License-Identifier: MIT
// ortc cache: what is in a folder of ep.context_cache_dir, whether it is sound, why a model is in
// it or not, and making room. The library does it; here its reports are shown.

#include <cstdio>
#include <ctime>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/model_files.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr int kExitDamaged = 1;

std::string time_of_day(uint64_t milliseconds) {
  const auto seconds = static_cast<time_t>(milliseconds / 1000);
  struct tm parts;
  char text[32] = "";
  if (gmtime_r(&seconds, &parts) != nullptr) strftime(text, sizeof text, "%F %R", &parts);
  return text;
}

std::string list_text(const Json& report) {
  Table table({"key", "source", "size", "last used (UTC)", "state"});
  for (const Json& entry : report.at("entries").items()) {
    std::string state = entry.text("state");
    if (entry.has("damage")) state += ": " + entry.text("damage");
    table.add({entry.text("key"), printable(entry.text("source")), size_text(entry.count("bytes")),
               time_of_day(entry.count("used_ms")), printable(state)});
  }
  const size_t count = report.at("entries").items().size();
  std::string total = count == 1 ? "1 entry" : std::to_string(count) + " entries";
  return (table.empty() ? "" : table.text() + "\n") + total + ", " +
         size_text(report.count("bytes")) + "\n";
}

std::string prune_text(const Json& report) {
  Table table({"removed", "size"});
  for (const Json& entry : report.at("removed").items()) {
    table.add({entry.text("key"), size_text(entry.count("bytes"))});
  }
  return (table.empty() ? "" : table.text() + "\n") + size_text(report.count("removed_bytes")) +
         " removed, " + size_text(report.count("kept_bytes")) + " kept\n";
}

std::string verify_text(const Json& report) {
  Table table({"key", "source", "sound"});
  for (const Json& entry : report.at("entries").items()) {
    const bool is_sound = entry.flag("sound");
    table.add({entry.text("key"), printable(entry.text("source")),
               is_sound ? "yes" : printable("no: " + entry.text("damage"))});
  }
  const bool is_sound = report.flag("sound");
  return (table.empty() ? "" : table.text() + "\n") +
         styled(stdout, is_sound ? Style::kGreen : Style::kRed, is_sound ? "sound" : "damaged") +
         "\n";
}

std::string explain_text(const Json& report) {
  Table parts({"part of the key", "value"});
  for (const Json& part : report.at("parts").items()) {
    parts.add({printable(part.text("part")), printable(part.text("value"))});
  }
  Table nearest({"different in " + report.at("nearest").text("key"), "here", "there"});
  for (const Json& one : report.at("nearest").at("different").items()) {
    nearest.add(
        {printable(one.text("part")), printable(one.text("here")), printable(one.text("there"))});
  }
  std::string text = parts.empty() ? "" : parts.text() + "\n";
  if (!nearest.empty()) text += nearest.text() + "\n";
  text += "entry " + report.text("key") + ": " + report.text("entry");
  if (!report.text("reason").empty()) text += " (" + printable(report.text("reason")) + ")";
  return text + "\n";
}

void show(const Json& report, const CacheArguments& arguments,
          std::string (*as_text)(const Json&)) {
  const std::string text = arguments.json ? report.dump() + "\n" : as_text(report);
  std::fputs(text.c_str(), stdout);
}

int explain(const CacheArguments& arguments) {
  check_model_is_there(arguments.model);
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  const Json report =
      json_of(make<Inspection>(OrtExplainContextCache, env.get(), arguments.model.c_str(),
                               arguments.folder.c_str(), options.get()));
  show(report, arguments, explain_text);
  const std::string entry = report.text("entry");
  return entry == "missing" || entry == "damaged" ? kExitNeedsCompilation : kExitOk;
}

}  // namespace

int command_cache(const CacheArguments& arguments) {
  const char* folder = arguments.folder.c_str();
  if (arguments.action == "explain") return explain(arguments);
  if (arguments.action == "prune") {
    show(json_of(make<Inspection>(OrtPruneContextCache, folder, arguments.max_bytes)), arguments,
         prune_text);
    return kExitOk;
  }
  if (arguments.action == "verify") {
    const Json report = json_of(make<Inspection>(OrtVerifyContextCache, folder));
    show(report, arguments, verify_text);
    return report.flag("sound") ? kExitOk : kExitDamaged;
  }
  show(json_of(make<Inspection>(OrtListContextCache, folder)), arguments, list_text);
  return kExitOk;
}

}  // namespace ortc::tool
