// SPDX-License-Identifier: MIT
// Memory in a file without a name: the system writes its pages to the disk when memory is short,
// where a process's own would have to stay. The file is gone with the process.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/base/tensor_memory.h"

namespace ortc {

// In `folder`; "": the working folder. Any thread may take and give back. It takes room on the disk
// before it gives memory, so that a full one is noticed here and not where bytes are written.
Result<std::shared_ptr<TensorMemory>> scratch_memory(const std::string& folder);

}  // namespace ortc
