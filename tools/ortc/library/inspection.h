// SPDX-License-Identifier: MIT
// A file seen without making a session.
#pragma once

#include <cstdint>
#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"

namespace ortc::tool {

Json json_of(const Inspection& inspection);

// `flags` are bits of OrtInspectFlags.
Json inspect_file(const std::string& path, uint32_t flags);

// For commands that need a model and got a context binary.
ToolError binary_error(const std::string& path);

}  // namespace ortc::tool
