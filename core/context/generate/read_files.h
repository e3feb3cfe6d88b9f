// SPDX-License-Identifier: MIT
// Files that a compile reads: whether they are still what they were when it began.
#pragma once

#include <span>

#include "core/base/status.h"
#include "core/platform/file_map.h"

namespace ortc {

// FAIL names the first that was written to in place since, or whose name another file has: what was
// read by those names is not all of one model. A name that is gone says nothing of its file.
Status check_unchanged(std::span<const ReadFile> files);
// The same for files that are held open, from which another file that has the name takes nothing.
Status check_not_written(std::span<const ReadFile> files);

}  // namespace ortc
