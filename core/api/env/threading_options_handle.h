// SPDX-License-Identifier: MIT
// Settings of the threads that the sessions of an environment share.
#pragma once

#include <string>
#include <vector>

#include "core/api/env/thread_functions.h"
#include "ort_c/types.h"

struct OrtThreadingOptions {
  ortc::ThreadPoolOptions pool;
  ortc::api::ThreadFunctions functions;
  std::vector<std::string> idle;  // settings that have no effect here
};
