// SPDX-License-Identifier: MIT
// ortc inspect: what is in a file, and whether it runs here. The exit code is the verdict.

#include <cstdio>

#include "tools/ortc/api.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/json.h"
#include "tools/ortc/table.h"

namespace ortc::tool {

int command_inspect(const InspectArguments& arguments) {
  uint32_t flags = OrtInspectFlags_NONE;
  if (arguments.details) flags |= OrtInspectFlags_DETAILS;
  if (arguments.verify) flags |= OrtInspectFlags_VERIFY_DATA;
  const auto inspection = make<Inspection>(OrtInspectFile, arguments.file.c_str(), flags);
  const char* text = nullptr;
  check(OrtInspection_GetJson(inspection.get(), &text));
  const Json result = Json::parse(text);
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::fputs(json_text(result).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
