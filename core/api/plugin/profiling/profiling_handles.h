// SPDX-License-Identifier: MIT
// Events of profiles as libraries of providers see and make them.
#pragma once

#include <vector>

#include "core/provider/provider_profiler.h"
#include "ort_c/ort_api.h"

struct OrtProfilingEvent {
  ortc::ProfileEvent event;
};

// What a library adds when a profile ends.
struct OrtProfilingEventsContainer {
  std::vector<ortc::ProfileEvent> events;
};
