// SPDX-License-Identifier: MIT
// Divided loops of a pool that a program is told about.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

#include "core/platform/threads.h"

namespace ortc {

// What is told the shares of divided loops: one for the thread that divides, one for each worker
// that may come. on_enqueue runs on the thread that divides; what it gives goes to one pair of
// on_start and on_stop around a share, or to on_abandon when the loop was done before a worker
// came; all before parallel_for returns. Any may be null; none may throw; called by several
// threads at once. Tasks are not told of.
struct WorkCallbacks {
  void* (*on_enqueue)(void* context) = nullptr;
  void (*on_start)(void* context, void* enqueued) = nullptr;
  void (*on_stop)(void* context, void* enqueued) = nullptr;
  void (*on_abandon)(void* context, void* enqueued) = nullptr;
  void* context = nullptr;  // lives until the pool has ended

  bool is_set() const { return on_enqueue || on_start || on_stop || on_abandon; }
};

inline void* tell_enqueue(const WorkCallbacks& callbacks) {
  return callbacks.on_enqueue ? callbacks.on_enqueue(callbacks.context) : nullptr;
}

// Tells of a share's begin, and of its end in any case.
class ToldShare {
 public:
  ToldShare(const WorkCallbacks& callbacks, void* enqueued)
      : callbacks_(callbacks), enqueued_(enqueued) {
    if (callbacks_.on_start) callbacks_.on_start(callbacks_.context, enqueued_);
  }
  ~ToldShare() {
    if (callbacks_.on_stop) callbacks_.on_stop(callbacks_.context, enqueued_);
  }
  ToldShare(const ToldShare&) = delete;
  ToldShare& operator=(const ToldShare&) = delete;

 private:
  const WorkCallbacks& callbacks_;
  void* const enqueued_;
};

// The shares of one divided loop: a worker takes one before it takes blocks.
class ToldLoop {
 public:
  ToldLoop(const WorkCallbacks& callbacks, size_t share_count) : callbacks_(callbacks) {
    try {
      enqueued_.reserve(share_count);
    } catch (const std::bad_alloc&) {
      return;  // no shares: the caller works alone
    }
    while (enqueued_.size() < share_count) enqueued_.push_back(tell_enqueue(callbacks_));
  }
  // No worker is inside any more; those that came found the shares in order.
  ~ToldLoop() {
    for (size_t i = next_.load(); i < enqueued_.size(); ++i) {
      if (callbacks_.on_abandon) callbacks_.on_abandon(callbacks_.context, enqueued_[i]);
    }
  }
  ToldLoop(const ToldLoop&) = delete;
  ToldLoop& operator=(const ToldLoop&) = delete;

  // Runs work() as the next share; not at all when each was taken.
  template <typename F>
  void run_share(F&& work) {
    const size_t share = next_.fetch_add(1, std::memory_order_relaxed);
    if (share >= enqueued_.size()) return;
    const ToldShare told(callbacks_, enqueued_[share]);
    work();
  }

 private:
  const WorkCallbacks& callbacks_;
  std::vector<void*> enqueued_;
  std::atomic<size_t> next_{0};
};

}  // namespace ortc
