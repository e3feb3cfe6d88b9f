// SPDX-License-Identifier: MIT
// Workers: see the header.
#include "core/platform/workers.h"

#include <pthread.h>

#include <bit>
#include <utility>

#include "core/platform/background_thread.h"
#include "core/platform/clock.h"
#include "core/platform/cpu.h"

namespace ortc {
namespace {

constexpr int kThreadCountMax = 1024;

// True while this thread runs a block of a divided loop.
constinit thread_local bool inside_block = false;

// What this thread is in the pool it works for, and whether it deletes that in the end.
constinit thread_local const void* own_worker = nullptr;
constinit thread_local bool ends_own_workers = false;

// Takes blocks until none are left.
void run_blocks(LoopSlot& slot) {
  inside_block = true;
  slot.run_blocks();
  inside_block = false;
}

// The same, where somebody may hear of it.
void take_share(LoopSlot& slot) {
  if (slot.told == nullptr) [[likely]]
    return run_blocks(slot);
  slot.told->run_share([&] { run_blocks(slot); });
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until done() without sleeping; false when the time was over first.
template <typename Done>
bool spin_until(int64_t duration_ns, Done done) {
  if (done()) return true;
  if (duration_ns <= 0) return false;
  const int64_t deadline = now_ns() + duration_ns;
  do {
    for (int i = 0; i < 16; ++i) {
      pause_briefly();
      if (done()) return true;
    }
  } while (now_ns() < deadline);
  return false;
}

}  // namespace

Workers::Workers(const ThreadPoolOptions& options, const WorkCallbacks& callbacks, uint32_t process)
    : process_(process),
      thread_count_(
          std::clamp(options.thread_count == 0 ? logical_cpu_count() : options.thread_count, 1,
                     kThreadCountMax)),
      spin_ns_(options.allow_spinning ? int64_t{1000} * std::max(options.spin_duration_us, 0) : 0),
      hooks_(options.hooks),
      callbacks_(callbacks) {}

// What a worker's thread does. It lives at least as long as the pool, but for the one that ended
// the pool itself.
void Workers::enter(void* parameter) {
  const auto* self = static_cast<Worker*>(parameter);
  Workers* workers = self->workers;
  own_worker = self;
  workers->work(self->index);
  own_worker = nullptr;
  if (ends_own_workers) delete workers;
}

void Workers::end() {
  stopping_.store(true, std::memory_order_seq_cst);
  { std::lock_guard lock(mutex_); }
  work_is_there_.notify_all();
  const Worker* self = nullptr;
  for (Worker& worker : workers_) {
    if (&worker == own_worker) {
      self = &worker;
    } else {
      join(worker);
    }
  }
  if (self == nullptr) {
    delete this;
  } else {
    leave_to_another(*self);
  }
}

void Workers::join(Worker& worker) {
  if (hooks_.create) {
    hooks_.join(worker.handle);
  } else {
    uv_thread_join(&worker.thread);
  }
}

// The calling worker deletes the pool when it is through. It cannot join itself: a thread of the
// system need not be joined, one of the program is joined by a thread made for that, which then
// deletes the pool. Without memory for one, the program's thread is left without join.
void Workers::leave_to_another(const Worker& self) {
  ends_own_workers = true;
  if (!hooks_.create) {
    pthread_detach(pthread_self());
    return;
  }
  const auto join_and_delete = [](void* parameter) -> void* {
    auto* worker = static_cast<Worker*>(parameter);
    Workers* workers = worker->workers;
    workers->join(*worker);
    delete workers;
    return nullptr;
  };
  const SignalsBlocked signals_blocked;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, join_and_delete, const_cast<Worker*>(&self)) != 0) return;
  pthread_detach(thread);
  ends_own_workers = false;
}

void Workers::start_workers() {
  workers_.reserve(static_cast<size_t>(thread_count_) - 1);  // they are pointed at
  const SignalsBlocked signals_blocked;
  for (int index = 1; index < thread_count_; ++index) {
    workers_.push_back({.thread = {}, .handle = nullptr, .workers = this, .index = index});
    // A system that gives no more threads gives a smaller pool: the loops end all the same.
    if (!start_worker(workers_.back())) {
      workers_.pop_back();
      return;
    }
  }
}

bool Workers::start_worker(Worker& worker) {
  if (hooks_.create) {
    worker.handle = hooks_.create(enter, &worker);
    return worker.handle != nullptr;
  }
  const auto entry = [](void* parameter) {
    pthread_setname_np(pthread_self(), "ortc-worker");
    enter(parameter);
  };
  return uv_thread_create(&worker.thread, entry, &worker) == 0;
}

void Workers::work(int index) {
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (run_open_slots(index) || run_task()) continue;
    const bool awake = spin_until(spin_ns_, [&] {
      return open_.load(std::memory_order_relaxed) != 0 ||
             task_count_.load(std::memory_order_relaxed) != 0 ||
             stopping_.load(std::memory_order_relaxed);
    });
    if (!awake) sleep();
  }
  while (run_task()) {
  }
}

// True when there was a task.
bool Workers::run_task() {
  if (task_count_.load(std::memory_order_relaxed) == 0) return false;
  std::function<void()> task;
  {
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    task_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  task();
  return true;
}

// True when there was a slot to enter. Workers begin at different slots, so that they spread over
// the loops of several callers.
bool Workers::run_open_slots(int index) {
  const uint64_t mask = open_.load(std::memory_order_relaxed);
  bool has_entered = false;
  for (uint64_t rest = std::rotr(mask, index); rest != 0; rest &= rest - 1) {
    const int number = (std::countr_zero(rest) + index) % kSlotCount;
    LoopSlot& slot = slots_[static_cast<size_t>(number)];
    if (!slot.enter()) continue;
    has_entered = true;
    take_share(slot);
    // Still inside, so this is the loop's own bit and not one of the slot's next user.
    open_.fetch_and(~(uint64_t{1} << number), std::memory_order_relaxed);
    slot.leave();
  }
  return has_entered;
}

// A sleeper says so before it looks for work a last time, a caller shows its work before it looks
// for sleepers; both in the one order of sequential consistency, so one of them sees the other.
void Workers::sleep() {
  std::unique_lock lock(mutex_);
  sleeper_count_.fetch_add(1, std::memory_order_seq_cst);
  work_is_there_.wait(lock, [&] {
    return open_.load(std::memory_order_seq_cst) != 0 ||
           task_count_.load(std::memory_order_seq_cst) != 0 ||
           stopping_.load(std::memory_order_seq_cst);
  });
  sleeper_count_.fetch_sub(1, std::memory_order_relaxed);
}

void Workers::wake(uint64_t wanted) {
  const uint64_t sleeping = sleeper_count_.load(std::memory_order_seq_cst);
  if (sleeping == 0) return;
  { std::lock_guard lock(mutex_); }
  if (wanted >= sleeping) {
    work_is_there_.notify_all();
    return;
  }
  for (uint64_t i = 0; i < wanted; ++i) work_is_there_.notify_one();
}

int Workers::take_slot() {
  uint64_t mask = used_.load(std::memory_order_relaxed);
  while (mask != ~uint64_t{0}) {
    const int number = std::countr_one(mask);
    if (used_.compare_exchange_weak(mask, mask | uint64_t{1} << number, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return number;
    }
  }
  return -1;
}

// A share for each block, at most, and for each thread.
void Workers::run_loop(LoopSlot& slot, uint64_t bit) {
  if (!callbacks_.is_set()) [[likely]]
    return run_divided(slot, bit);
  ToldLoop told(callbacks_, std::min<size_t>(slot.block_count, workers_.size() + 1));
  slot.told = &told;
  run_divided(slot, bit);
  slot.told = nullptr;
}

void Workers::run_divided(LoopSlot& slot, uint64_t bit) {
  slot.state.store(LoopSlot::kOpen, std::memory_order_release);
  open_.fetch_or(bit, std::memory_order_seq_cst);
  wake(slot.block_count - 1);
  take_share(slot);
  if (slot.told != nullptr) run_blocks(slot);  // without memory for shares, all of them
  open_.fetch_and(~bit, std::memory_order_relaxed);
  slot.state.fetch_and(~LoopSlot::kOpen, std::memory_order_relaxed);
  if (spin_until(spin_ns_, [&] { return slot.has_no_worker(); })) return;
  std::unique_lock lock(slot.mutex);
  slot.state.fetch_or(LoopSlot::kCallerSleeps, std::memory_order_acq_rel);
  slot.left.wait(lock, [&] { return slot.has_no_worker(); });
}

bool Workers::start() {
  if (thread_count_ == 1) return true;
  std::call_once(started_, [&] { start_workers(); });
  return !workers_.empty();
}

bool Workers::submit(std::function<void()> task) {
  if (thread_count_ == 1 || !start()) return false;
  // Under the lock to the end: the task may be the one that ends the pool.
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  task_count_.fetch_add(1, std::memory_order_seq_cst);
  work_is_there_.notify_one();
  return true;
}

void Workers::parallel_for(int64_t count, int64_t grain, ThreadPool::Body body, void* context) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (count <= grain) return body(context, 0, count);
  int number = -1;
  if (thread_count_ > 1 && !inside_block) {
    static_cast<void>(start());
    number = take_slot();
  }
  // Alone: no workers, a call from inside a block, or more callers than slots.
  if (number < 0) {
    for (int64_t begin = 0; begin < count;) {
      const int64_t size = std::min(grain, count - begin);
      body(context, begin, begin + size);
      begin += size;
    }
    return;
  }
  LoopSlot& slot = slots_[static_cast<size_t>(number)];
  slot.body = body;
  slot.context = context;
  slot.count = count;
  slot.grain = grain;
  slot.block_count = static_cast<uint64_t>(count / grain + (count % grain != 0 ? 1 : 0));
  slot.next_block.store(0, std::memory_order_relaxed);
  run_loop(slot, uint64_t{1} << number);

  const bool has_failed = slot.has_failed.exchange(false, std::memory_order_relaxed);
  const std::exception_ptr exception = std::exchange(slot.exception, nullptr);
  used_.fetch_and(~(uint64_t{1} << number), std::memory_order_release);
  if (has_failed) std::rethrow_exception(exception);
}

}  // namespace ortc
