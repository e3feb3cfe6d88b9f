// SPDX-License-Identifier: MIT
// Turns of runs: see the header.
#include "core/api/plugin/run_turn.h"

#include <chrono>

namespace ortc::api {

Result<RunTurns::Turn> RunTurns::take(std::string_view name, const std::atomic<bool>* terminate) {
  const auto self = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  while (owner_ != std::thread::id()) {
    if (owner_ == self) {
      return fail("a run inside a run of ", name, ", which cannot run several at once");
    }
    if (terminate != nullptr && terminate->load(std::memory_order_relaxed)) {
      return fail("Exiting due to terminate flag being set to true.");
    }
    is_free_.wait_for(lock, std::chrono::milliseconds(20));
  }
  owner_ = self;
  return Turn(this);
}

void RunTurns::give_back() {
  const std::lock_guard lock(mutex_);
  owner_ = {};
  is_free_.notify_one();
}

}  // namespace ortc::api
