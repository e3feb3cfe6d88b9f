// SPDX-License-Identifier: MIT
// The library's description as it is.

#include "tools/ortc/library/inspection.h"

#include "tools/ortc/library/api.h"

namespace ortc::tool {

Json inspect_file(const std::string& path, uint32_t flags) {
  const auto inspection = make<Inspection>(OrtInspectFile, path.c_str(), flags);
  const char* text = nullptr;
  check(OrtInspection_GetJson(inspection.get(), &text));
  return Json::parse(text);
}

}  // namespace ortc::tool
