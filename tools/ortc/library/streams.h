// SPDX-License-Identifier: MIT
// Timed runs of one session, by one thread or by several at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/ortc/library/latency_samples.h"
#include "tools/ortc/library/run.h"

namespace ortc::tool {

struct RunTime {
  size_t stream;
  int64_t start_ns;  // since the first timed run began
  int64_t duration_ns;
};

struct StreamPlan {
  size_t streams = 1;
  uint64_t iterations = 0;  // of all streams together; 0: as many as `duration_s` allows
  double duration_s = 0;
  uint64_t warmup = 0;    // of each stream
  size_t listed_max = 0;  // of BenchTimes::runs
};

struct StreamTimes {
  LatencySamples samples;     // finished
  int64_t elapsed_ns = 0;     // from the begin of the first timed run to the end of the last
  std::vector<RunTime> runs;  // in the order in which they began

  double runs_per_second() const;
};

// Throws what the first run throws that fails; the other streams end after the run under way.
StreamTimes timed_runs(const Runs& runs, const StreamPlan& plan);

}  // namespace ortc::tool
