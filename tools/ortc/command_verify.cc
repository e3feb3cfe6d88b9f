// SPDX-License-Identifier: MIT
// ortc verify: is a compiled model as it was written, and does it run here? An inspection that
// reads everything; the exit code is for scripts.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/library/verdicts.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

struct Answer {
  const char* word;
  int exit_code;
};

// Whatever runs is sound; what is not for this machine, or for no provider here, is not broken.
Answer answer_of(const std::string& verdict) {
  if (verdict == "broken") return {"broken", kExitFailure};
  if (verdict == "unsupported" || verdict == "not_applicable") {
    return {"must be compiled again to run here", kExitNeedsCompilation};
  }
  if (verdict == "not_compiled")
    return {"an ordinary model, readable; nothing in it is hashed", kExitOk};
  return {"sound, runs here", kExitOk};
}

Json result_json(const Json& inspection, const Answer& answer, const std::string& file) {
  Json checked = Json::array();
  for (const char* name : {"model_hash", "external_initializers"}) {
    const Json part = inspection.at(name);
    if (!part.is_object()) continue;
    checked.push(Json::object()
                     .set("what", name)
                     .set("name", part.has("file") ? part.text("file") : file)
                     .set("sound", part.flag("data_verified")));
  }
  if (inspection.has("data_verified")) {
    checked.push(Json::object()
                     .set("what", "context_binary")
                     .set("name", file)
                     .set("sound", inspection.flag("data_verified")));
  }
  for (const Json& node : inspection.at("ep_context_nodes").items()) {
    checked.push(Json::object()
                     .set("what", "context")
                     .set("name", node.text("node"))
                     .set("sound", node.has("data_verified") && node.flag("data_verified"))
                     .set("verdict", node.text("verdict"))
                     .set("advice", node.text("advice")));
  }
  return Json::object()
      .set("schema", "ortc.verify/1")
      .set("file", file)
      .set("verdict", inspection.text("verdict"))
      .set("answer", answer.word)
      .set("exit_code", answer.exit_code)
      .set("reason", inspection.text("reason"))
      .set("checked", checked);
}

std::string result_text(const Json& result, const Answer& answer) {
  Table table({"checked", "name", "sound"});
  std::string advice;
  for (const Json& row : result.at("checked").items()) {
    table.add({row.text("what"), printable(row.text("name")), row.flag("sound") ? "yes" : "no"});
    const std::string text = row.text("advice");
    if (!text.empty() && row.text("verdict") != "optimal") {
      advice += printable(row.text("name")) + ": " + printable(text) + "\n";
    }
  }
  std::string text = table.empty() ? "" : table.text() + "\n";
  const Style style = answer.exit_code == kExitOk ? Style::kGreen : Style::kRed;
  text += styled(stdout, style, answer.word);
  if (!result.text("reason").empty()) text += " (" + printable(result.text("reason")) + ")";
  return text + "\n" + advice;
}

}  // namespace

int command_verify(const LookArguments& arguments) {
  const Json inspection = inspect_file(arguments.file, OrtInspectFlags_VERIFY_DATA);
  const Answer answer = answer_of(inspection.text("verdict"));
  const Json result = result_json(inspection, answer, arguments.file);
  const std::string text = arguments.json ? result.dump() + "\n" : result_text(result, answer);
  std::fputs(text.c_str(), stdout);
  return answer.exit_code;
}

}  // namespace ortc::tool
