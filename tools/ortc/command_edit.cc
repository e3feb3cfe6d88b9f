// SPDX-License-Identifier: MIT
// ortc pack, merge, extract and prefix: compiled models from compiled models. The library does it;
// here its report is shown.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

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

int show(const Inspection& inspection, const EditArguments& arguments) {
  const Json report = json_of(inspection);
  const std::string text = arguments.json ? report.dump() + "\n" : report_text(report);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace

int command_pack(const EditArguments& arguments) {
  return show(make<Inspection>(OrtPackModel, arguments.models.front().c_str(),
                               arguments.output.c_str(), flags_of(arguments)),
              arguments);
}

int command_merge(const EditArguments& arguments) {
  const auto models = pointers_to(arguments.models);
  const auto connections = pointers_to(arguments.connections);
  return show(make<Inspection>(OrtMergeModels, models.data(), models.size(), connections.data(),
                               connections.size(), arguments.output.c_str(), flags_of(arguments)),
              arguments);
}

int command_extract(const EditArguments& arguments) {
  return show(
      make<Inspection>(OrtExtractContext, arguments.models.front().c_str(), arguments.node.c_str(),
                       arguments.output.c_str(), flags_of(arguments)),
      arguments);
}

int command_prefix(const EditArguments& arguments) {
  return show(
      make<Inspection>(OrtPrefixModel, arguments.models.front().c_str(), arguments.prefix.c_str(),
                       arguments.output.c_str(), flags_of(arguments)),
      arguments);
}

}  // namespace ortc::tool
