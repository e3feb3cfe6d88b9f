// SPDX-License-Identifier: MIT
// Where a session's memory is, for people.
#pragma once

#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"

namespace ortc::tool {

// Null where the system does not tell.
Json memory_report(const OrtSession* session);
// One line: "memory        1.2 GiB mapped, ..."
std::string memory_text(const Json& report);

}  // namespace ortc::tool
