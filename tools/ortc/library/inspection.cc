// SPDX-License-Identifier: MIT
// The library's description as it is.

#include "tools/ortc/library/inspection.h"

namespace ortc::tool {

Json json_of(const Inspection& inspection) {
  const char* text = nullptr;
  check(OrtInspection_GetJson(inspection.get(), &text));
  return Json::parse(text);
}

Json inspect_file(const std::string& path, uint32_t flags) {
  return json_of(make<Inspection>(OrtInspectFile, path.c_str(), flags));
}

ToolError binary_error(const std::string& path) {
  return failure("'" + path + "' is a context binary")
      .set_hint("give the compiled model beside it, *_ctx.onnx");
}

}  // namespace ortc::tool
