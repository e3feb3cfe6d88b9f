// SPDX-License-Identifier: MIT
// The library compares: it keeps size and hash of the source in the compiled model.

#include "tools/ortc/library/staleness.h"

#include "ort_c/context.h"
#include "tools/ortc/errors.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/console.h"

namespace ortc::tool {

std::string staleness_text(const Json& inspection) {
  const Json source = inspection.at("source");
  if (source.text("state") != "changed") return {};
  return "its source '" + source.text("name") +
         "' has changed since it was compiled: " + source.text("difference");
}

void warn_of_stale_source(const std::string& model, const Json& session_report) {
  if (!session_report.flag("loaded_from_context")) return;
  std::string text;
  try {
    text = staleness_text(inspect_file(model, OrtInspectFlags_NONE));
  } catch (const ToolError&) {
    return;  // the model ran; what an inspection finds besides is its own
  }
  if (text.empty()) return;
  say_log("warning", Style::kYellow, "context", ("'" + model + "': " + text).c_str());
}

}  // namespace ortc::tool
