// SPDX-License-Identifier: MIT
// Pools that are made with more than ThreadPoolOptions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/log.h"
#include "core/platform/machine/thread_affinity.h"
#include "core/platform/pool/told_work.h"

namespace ortc {

// No pool has more. Who asks for more is refused; 0, one per processor, is cut where it is more.
inline constexpr int kThreadCountMax = 1024;

struct PoolSettings {
  WorkCallbacks callbacks = {};
  ThreadAffinities affinities = {};  // none, or one for each worker
  // Loops are divided when that pays, by what they have cost before: see loop_costs.h. Otherwise
  // every loop is.
  bool measures_loops = false;
  // Told by a worker that it cannot run where it should; any thread, several at once. May be empty.
  std::function<void(std::string_view text)> warn = {};
};

std::shared_ptr<ThreadPool> make_pool(const ThreadPoolOptions& options,
                                      const PoolSettings& settings);

// A pool whose workers stay on processors: see parse_affinities() and check_affinity_count(). That
// they do not is logged.
Result<std::shared_ptr<ThreadPool>> make_pool(const ThreadPoolOptions& options,
                                              const WorkCallbacks& callbacks,
                                              std::string_view affinities, const Logger& logger);

}  // namespace ortc
