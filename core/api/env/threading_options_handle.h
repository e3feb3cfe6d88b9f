// SPDX-License-Identifier: MIT
// Settings of the threads that the sessions of an environment share.
#pragma once

#include <string>

#include "core/api/env/thread_functions.h"
#include "ort_c/types.h"

struct OrtThreadingOptions {
  ortc::ThreadPoolOptions pool;
  ortc::api::ThreadFunctions functions;
  std::string affinities;
  bool denormals_as_zero = false;
};
