// SPDX-License-Identifier: MIT
// Whether the source of a compiled model has changed since it was compiled. The compiled model
// runs all the same, and computes what its source computed then.
#pragma once

#include <string>

#include "tools/ortc/output/json.h"

namespace ortc::tool {

// From an inspection: "its source 'm.onnx' has changed since: ...", or nothing.
std::string staleness_text(const Json& inspection);
// Says so on stderr, when a session with that report was made from a compiled model.
void warn_of_stale_source(const std::string& model, const Json& session_report);

}  // namespace ortc::tool
