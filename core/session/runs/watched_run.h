// SPDX-License-Identifier: MIT
// The providers that hear of a run's beginning and end.
#pragma once

#include <vector>

#include "core/provider/execution_provider.h"

namespace ortc {

// Whoever heard of the beginning hears of the end, also when the run fails or memory runs out; the
// run's failure counts.
class WatchedRun {
 public:
  // Both must outlive it.
  WatchedRun(const std::vector<ExecutionProvider*>& watchers, const RunFacts& facts)
      : watchers_(watchers), facts_(facts) {}
  ~WatchedRun();
  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  Status begin();
  // The first failure, after all have heard of it.
  Status end();

 private:
  const std::vector<ExecutionProvider*>& watchers_;
  const RunFacts& facts_;
  size_t begun_ = 0;
};

}  // namespace ortc
