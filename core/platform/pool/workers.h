// SPDX-License-Identifier: MIT
// What one process has of a thread pool: threads, the loops that they divide, and tasks. A loop
// occupies one of 64 slots, whose number is a bit in two masks: `used` (a caller owns the slot) and
// `open` (there may be blocks to take).
//
// Nothing is allocated in parallel_for, and no lock is taken unless a worker sleeps.
#pragma once

#include <uv.h>

#include <array>
#include <deque>
#include <vector>

#include "core/platform/pool/loop_slot.h"
#include "core/platform/pool/pool_settings.h"

namespace ortc {

class Workers {
 public:
  // `process` tells processes apart that were forked from each other.
  Workers(const ThreadPoolOptions& options, const PoolSettings& settings, uint32_t process);
  // Stops the threads, waits for them and deletes this. Called by one of them, it returns at once
  // and that one deletes.
  void end();

  uint32_t process() const { return process_; }
  int thread_count() const { return thread_count_; }
  // In a forked child: those of its parent are not here.
  static void forget_callers();
  // As those of ThreadPool.
  bool start();
  bool submit(std::function<void()> task);
  void parallel_for(int64_t count, int64_t grain, ThreadPool::Body body, void* context);

 private:
  struct Worker {
    uv_thread_t thread;
    void* handle;  // of a thread that the program made
    Workers* workers;
    int index;
  };
  static constexpr int kSlotCount = 64;
  // Whom a caller asks to take part.
  enum class Help { kNobody, kAwake, kEverybody };

  ~Workers() = default;
  static void enter(void* worker);
  void pin(int index) const;
  void start_workers();
  bool start_worker(Worker& worker);
  void join(Worker& worker);
  void leave_to_another(const Worker& self);
  void work(int index);
  bool run_open_slots(int index);
  bool run_task();
  void sleep();
  void wake(uint64_t wanted);
  int take_slot();
  int64_t run_divided(LoopSlot& slot, uint64_t bit, Help help);
  int64_t run_loop(LoopSlot& slot, uint64_t bit, Help help);
  // Both end with the loop's blocks done, the first those from `begin` on; it gives the time that
  // all take on one thread, or less than nothing when that is not known.
  int64_t divide(int64_t begin, int64_t count, int64_t grain, ThreadPool::Body body, void* context,
                 Help help);
  void divide_if_it_pays(int64_t count, int64_t grain, ThreadPool::Body body, void* context);
  Help help_for(uint32_t cost_ns);

  const uint32_t process_;
  const int thread_count_;
  const int64_t spin_ns_;
  const ThreadHooks hooks_;
  const PoolSettings settings_;
  std::once_flag started_;
  std::vector<Worker> workers_;
  alignas(64) std::atomic<uint64_t> open_{0};
  alignas(64) std::atomic<uint64_t> used_{0};
  alignas(64) std::atomic<uint32_t> sleeper_count_{0};
  std::atomic<uint32_t> worker_count_{0};  // that were started
  std::atomic<int64_t> last_loop_ns_{0};   // when a loop came that was too short to wake anybody
  std::atomic<uint32_t> loops_in_a_row_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> task_count_{0};  // in `tasks_`
  std::mutex mutex_;                   // the workers' sleep, `tasks_` and `call_count_`
  uint64_t call_count_ = 0;            // how often sleepers were woken for a loop
  std::deque<std::function<void()>> tasks_;
  std::condition_variable work_is_there_;
  std::array<LoopSlot, kSlotCount> slots_;
};

}  // namespace ortc
