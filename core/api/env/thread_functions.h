// SPDX-License-Identifier: MIT
// Threads that the program makes, for pools: of an environment and of a session.
#pragma once

#include "core/base/result.h"
#include "core/platform/threads.h"
#include "ort_c/threading.h"

namespace ortc::api {

// Set by functions of their own; judged when the pool is made.
struct ThreadFunctions {
  OrtCustomCreateThreadFn create = nullptr;
  OrtCustomJoinThreadFn join = nullptr;
  void* creation_options = nullptr;

  // FAIL when only one of the functions is there. Without both: the system's threads.
  Result<ThreadHooks> hooks() const;
};

}  // namespace ortc::api
