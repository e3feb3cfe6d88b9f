// SPDX-License-Identifier: MIT
// Whole folders: made with those above them, measured, removed with everything in them. Links are
// never followed. Every change passes write_operation() (folder_changes.h).
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace ortc {

// Makes `path` and the folders above it that are missing, for this user alone.
Status make_folders(const std::string& path);
// A folder and all that is in it, to a depth of 16; one that is missing is success.
Status remove_tree(const std::string& path);
// What the files in it take; what cannot be looked at counts as nothing.
uint64_t tree_bytes(const std::string& path);
// Which a writer without privileges may still fill; UINT64_MAX when the system does not say.
uint64_t free_bytes(const std::string& path);

}  // namespace ortc
