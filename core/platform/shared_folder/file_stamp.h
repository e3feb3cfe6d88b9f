// SPDX-License-Identifier: MIT
// What the system says of a file without opening it, and the time that says when it was last used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/platform/file_map.h"

namespace ortc {

// Of a regular file, links followed; nothing when there is none.
std::optional<FileIdentity> identity_at(const std::string& path);
// Sets the times of a file or folder to now; false where that is not allowed. `path` is no link.
bool renew_stamp(const std::string& path);

}  // namespace ortc
