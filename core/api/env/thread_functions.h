// SPDX-License-Identifier: MIT
// Threads that the program makes, for pools.
#pragma once

#include "core/base/result.h"
#include "core/platform/threads.h"
#include "ort_c/threading.h"

namespace ortc::api {

// FAIL when only one of the functions is there. Without both: the system's threads.
Result<ThreadHooks> thread_hooks(OrtCustomCreateThreadFn create, OrtCustomJoinThreadFn join,
                                 void* creation_options);

}  // namespace ortc::api
