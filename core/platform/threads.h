// SPDX-License-Identifier: MIT
// A pool for parallel loops over libuv threads.
//
// parallel_for splits [0, count) into blocks of `grain` for the caller and idle workers; it returns
// when all are done. Any number of threads may call it at the same time; a call from inside a block
// runs on its thread alone (never a deadlock). Workers start at the first divided loop, spin for a
// short while after work, then sleep. Which thread runs which block is not defined, so a body must
// give the same result for any division. When bodies throw, one of the exceptions leaves
// parallel_for after all blocks under way have ended; blocks not begun are left out. A forked child
// has none of its parent's workers: it may end the pool, or use it, which makes workers of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace ortc {

// Threads that the program makes itself. `create` runs worker(parameter) on a new thread and gives
// a handle for `join`, null when there is none to be had; it may be called by any thread.
struct ThreadHooks {
  std::function<void*(void (*worker)(void*), void* parameter)> create;  // empty: the system's
  std::function<void(void* handle)> join;
};

struct ThreadPoolOptions {
  int thread_count = 0;  // callers included; 0: one per usable processor; 1: no workers at all
  bool allow_spinning = true;
  int spin_duration_us = 50;
  ThreadHooks hooks = {};
};

class ThreadPool {
 public:
  explicit ThreadPool(const ThreadPoolOptions& options);
  // Waits for the workers; no call may be under way. A task may end the pool it runs in: its own
  // worker ends last, and one of the program is then joined by a thread made for that.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const;

  // Starts the workers that the first divided loop would start. False when not one could be made
  // although there should be some.
  bool start();
  // Runs `task` on a worker, where it may divide loops as any caller; it must not throw. False, and
  // nothing happens, when there are no workers. The destructor waits for tasks under way and runs
  // those that have not begun.
  bool submit(std::function<void()> task);

  // body(begin, end) for disjoint ranges that cover [0, count); never more than `grain` apart from
  // the last being shorter. Runs inline when count <= grain or the pool has one thread.
  using Body = void (*)(void* context, int64_t begin, int64_t end);
  void parallel_for(int64_t count, int64_t grain, Body body, void* context);

  template <typename F>
  void parallel_for(int64_t count, int64_t grain, F&& body) {
    parallel_for(
        count, grain,
        [](void* context, int64_t begin, int64_t end) {
          (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ortc
