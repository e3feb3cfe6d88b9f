// SPDX-License-Identifier: MIT
// A session of the program.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/env_handle.h"
#include "core/api/session/ep_assignment_handles.h"
#include "core/session/stages.h"
#include "ort_c/types.h"

struct OrtSession {
  ~OrtSession();  // waits for runs on other threads
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  ortc::MadeModel model;                    // a session that runs, or an earlier stage
  std::shared_ptr<OrtAllocator> allocator;  // of results; null: the library's
  OrtMemoryInfo result_memory;              // that it gives
  std::mutex mutex;
  std::condition_variable runs_ended;
  int run_count = 0;  // under way on other threads
  std::vector<std::unique_ptr<OrtEpAssignedSubgraph>> assigned;
  std::vector<const OrtEpAssignedSubgraph*> assigned_list;  // of `assigned`
  std::shared_ptr<OrtAllocator> arena;                      // what OrtCreateAllocator() gives
};
