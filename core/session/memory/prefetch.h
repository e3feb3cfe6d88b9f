// SPDX-License-Identifier: MIT
// Bringing weights into memory while their session is used already.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/log.h"
#include "core/platform/background_thread.h"
#include "core/platform/work.h"

namespace ortc {

class Prefetch {
 public:
  enum class State : uint8_t { kRunning, kDone, kStopped, kFailed };

  // Null when there is no thread to be had. The ranges, in this order, outlive it. `work` counts
  // bytes and may stop it; `at_end` is told once everything is there. The thread calls both.
  static std::unique_ptr<Prefetch> start(std::vector<Bytes> ranges, Work work,
                                         std::function<void()> at_end, const ThreadHooks& hooks,
                                         const Logger& logger);
  // Stops it, and waits until it has stopped.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  State state() const { return state_.load(std::memory_order_acquire); }
  uint64_t expected_bytes() const { return expected_bytes_; }
  uint64_t done_bytes() const { return done_bytes_.load(std::memory_order_relaxed); }

 private:
  Prefetch() = default;
  void run(const std::function<void()>& at_end);

  std::vector<Bytes> ranges_;
  Work work_;
  Logger logger_;
  uint64_t expected_bytes_ = 0;
  std::atomic<uint64_t> done_bytes_{0};
  std::atomic<State> state_{State::kRunning};
  std::atomic<bool> shall_stop_{false};
  std::unique_ptr<BackgroundThread> thread_;  // the last one: it uses the others
};

// "running", "done", "stopped", "failed"
std::string_view prefetch_state_name(Prefetch::State state);

// The ranges one after the other, in slices short enough that work can be stopped between them.
Status for_each_slice(const std::vector<Bytes>& ranges,
                      const std::function<Status(Bytes slice)>& act);

}  // namespace ortc
