// SPDX-License-Identifier: MIT
// ortc pack, merge, extract and prefix: compiled models from compiled models. The library does it;
// here its report is shown.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/progress.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

uint32_t flags_of(const EditArguments& arguments) {
  uint32_t flags = OrtEditFlags_NONE;
  if (arguments.no_overwrite) flags |= OrtEditFlags_NO_OVERWRITE;
  if (arguments.replace_shared) flags |= OrtEditFlags_REPLACE_SHARED;
  if (arguments.external) flags |= OrtEditFlags_EXTERNAL;
  return flags;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::string report_text(const Json& report) {
  Table files({"written", "size"});
  for (const Json& file : report.at("files").items()) {
    files.add({printable(file.text("path")), size_text(file.count("bytes"))});
  }
  Table renamed({"renamed", "of", "from", "to"});
  for (const Json& row : report.at("renamed").items()) {
    renamed.add({row.text("kind"), printable(row.text("model")), printable(row.text("from")),
                 printable(row.text("to"))});
  }
  return files.text() + (renamed.empty() ? "" : "\n" + renamed.text());
}

// Calls function(given ..., output, flags, progress, report) and shows the report. Ctrl-C ends it
// by way of the progress, and nothing is left.
template <typename Function, typename... Given>
int edit(const EditArguments& arguments, Function function, Given... given) {
  const bool is_shown = is_terminal(stderr) && !arguments.json;
  Progress progress(is_shown ? ProgressForm::kBar : ProgressForm::kNone);
  Inspection inspection;
  {
    const CancelScope scope([] {});
    inspection = make<Inspection>(function, given..., arguments.output.c_str(), flags_of(arguments),
                                  Progress::hear, &progress);
  }
  progress.finish();
  const Json report = json_of(inspection);
  const std::string text = arguments.json ? report.dump() + "\n" : report_text(report);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace

int command_pack(const EditArguments& arguments) {
  return edit(arguments, OrtPackModel, arguments.models.front().c_str());
}

int command_merge(const EditArguments& arguments) {
  const auto models = pointers_to(arguments.models);
  const auto connections = pointers_to(arguments.connections);
  return edit(arguments, OrtMergeModels, models.data(), models.size(), connections.data(),
              connections.size());
}

int command_extract(const EditArguments& arguments) {
  return edit(arguments, OrtExtractContext, arguments.models.front().c_str(),
              arguments.node.c_str());
}

int command_prefix(const EditArguments& arguments) {
  return edit(arguments, OrtPrefixModel, arguments.models.front().c_str(),
              arguments.prefix.c_str());
}

}  // namespace ortc::tool
