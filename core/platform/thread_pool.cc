// SPDX-License-Identifier: MIT
// The thread pool. A loop occupies one of 64 slots, whose number is a bit in two masks: `used_` (a
// caller owns the slot) and `open_` (there may be blocks to take). A slot's state is a flag "open",
// a flag "caller sleeps" and the count of workers inside. Workers enter by compare-and-swap while
// it is open, and blocks are handed out by a counter. The caller takes blocks too, closes the slot
// when none are left and returns when the last worker has left it. Slots live as long as the pool,
// so that a worker that comes too late touches memory that is still there and finds it closed.
//
// Nothing is allocated in parallel_for, and no lock is taken unless somebody sleeps.
#include <pthread.h>
#include <signal.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/cpu.h"
#include "core/platform/threads.h"

namespace ortc {
namespace {

constexpr int kSlotCount = 64;
constexpr int kThreadCountMax = 1024;
constexpr uint32_t kOpen = 1u << 31;
constexpr uint32_t kCallerSleeps = 1u << 30;
constexpr uint32_t kWorkers = kCallerSleeps - 1;

// True while this thread runs a block of a divided loop.
constinit thread_local bool inside_block = false;

struct InsideBlock {
  InsideBlock() { inside_block = true; }
  ~InsideBlock() { inside_block = false; }
};

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

struct alignas(64) Slot {
  std::atomic<uint32_t> state{0};
  // Written by the caller before it opens the slot, read by those who entered.
  ThreadPool::Body body = nullptr;
  void* context = nullptr;
  int64_t count = 0;
  int64_t grain = 0;
  uint64_t block_count = 0;
  alignas(64) std::atomic<uint64_t> next_block{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr exception;  // of the one who set has_failed
  std::mutex mutex;              // the caller's sleep
  std::condition_variable left;

  bool enter() {
    uint32_t old = state.load(std::memory_order_relaxed);
    while ((old & kOpen) != 0) {
      if (state.compare_exchange_weak(old, old + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void leave() {
    const uint32_t old = state.fetch_sub(1, std::memory_order_acq_rel);
    if ((old & kWorkers) != 1 || (old & kCallerSleeps) == 0) return;
    { std::lock_guard lock(mutex); }
    left.notify_all();
  }

  bool is_left() const { return (state.load(std::memory_order_acquire) & kWorkers) == 0; }

  // Takes blocks until none are left.
  void run_blocks() {
    InsideBlock inside;
    for (;;) {
      const uint64_t block = next_block.fetch_add(1, std::memory_order_relaxed);
      if (block >= block_count) return;
      const int64_t begin = static_cast<int64_t>(block) * grain;
      try {
        body(context, begin, begin + std::min(grain, count - begin));
      } catch (...) {
        next_block.store(block_count, std::memory_order_relaxed);
        if (!has_failed.exchange(true)) exception = std::current_exception();
        return;
      }
    }
  }
};

// Workers answer to faults of their own code only; other signals are for the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

struct ThreadPool::Impl {
  struct Worker {
    uv_thread_t thread;
    void* handle;  // of a thread that the program made
    Impl* pool;
    int index;
  };

  static void enter(void* worker);
  explicit Impl(const ThreadPoolOptions& options)
      : thread_count(
            std::clamp(options.thread_count == 0 ? logical_cpu_count() : options.thread_count, 1,
                       kThreadCountMax)),
        spin_ns(options.allow_spinning ? int64_t{1000} * std::max(options.spin_duration_us, 0) : 0),
        hooks(options.hooks) {}

  bool stop();  // false when the calling thread is one of the workers
  void start_workers();
  bool start_worker(Worker& worker);
  void work(int index);
  bool run_open_slots(int index);
  bool run_task();
  void sleep();
  void wake(uint64_t wanted);
  int take_slot();
  void run_divided(Slot& slot, uint64_t bit);

  const int thread_count;
  const int64_t spin_ns;
  const ThreadHooks hooks;
  std::once_flag started;
  std::vector<Worker> workers;
  alignas(64) std::atomic<uint64_t> open{0};
  alignas(64) std::atomic<uint64_t> used{0};
  alignas(64) std::atomic<uint32_t> sleeper_count{0};
  std::atomic<bool> stopping{false};
  std::atomic<size_t> task_count{0};  // in `tasks`
  std::mutex mutex;                   // the workers' sleep, and `tasks`
  std::deque<std::function<void()>> tasks;
  std::condition_variable work_is_there;
  std::array<Slot, kSlotCount> slots;
};

namespace {

// What this thread is in the pool it works for, and whether it shall delete the pool in the end.
constinit thread_local const void* own_worker = nullptr;
constinit thread_local bool ends_own_pool = false;

}  // namespace

// What a worker's thread does. It lives at least as long as the pool, but for the one that ended
// the pool itself.
void ThreadPool::Impl::enter(void* parameter) {
  const auto* self = static_cast<Worker*>(parameter);
  Impl* pool = self->pool;
  own_worker = self;
  pool->work(self->index);
  own_worker = nullptr;
  if (ends_own_pool) delete pool;
}

bool ThreadPool::Impl::stop() {
  stopping.store(true, std::memory_order_seq_cst);
  { std::lock_guard lock(mutex); }
  work_is_there.notify_all();
  bool is_outside = true;
  for (Worker& worker : workers) {
    if (&worker == own_worker) {
      is_outside = false;
      if (!hooks.create) pthread_detach(pthread_self());
    } else if (hooks.create) {
      hooks.join(worker.handle);
    } else {
      uv_thread_join(&worker.thread);
    }
  }
  return is_outside;
}

void ThreadPool::Impl::start_workers() {
  workers.reserve(static_cast<size_t>(thread_count) - 1);  // they are pointed at
  SignalsBlocked signals_blocked;
  for (int index = 1; index < thread_count; ++index) {
    workers.push_back({.thread = {}, .handle = nullptr, .pool = this, .index = index});
    // A system that gives no more threads gives a smaller pool: the loops end all the same.
    if (!start_worker(workers.back())) {
      workers.pop_back();
      return;
    }
  }
}

bool ThreadPool::Impl::start_worker(Worker& worker) {
  if (hooks.create) {
    worker.handle = hooks.create(enter, &worker);
    return worker.handle != nullptr;
  }
  const auto entry = [](void* parameter) {
    pthread_setname_np(pthread_self(), "ortc-worker");
    enter(parameter);
  };
  return uv_thread_create(&worker.thread, entry, &worker) == 0;
}

void ThreadPool::Impl::work(int index) {
  while (!stopping.load(std::memory_order_relaxed)) {
    if (run_open_slots(index) || run_task()) continue;
    const bool awake = spin_until(spin_ns, [&] {
      return open.load(std::memory_order_relaxed) != 0 ||
             task_count.load(std::memory_order_relaxed) != 0 ||
             stopping.load(std::memory_order_relaxed);
    });
    if (!awake) sleep();
  }
  while (run_task()) {
  }
}

// True when there was a task.
bool ThreadPool::Impl::run_task() {
  if (task_count.load(std::memory_order_relaxed) == 0) return false;
  std::function<void()> task;
  {
    std::lock_guard lock(mutex);
    if (tasks.empty()) return false;
    task = std::move(tasks.front());
    tasks.pop_front();
    task_count.fetch_sub(1, std::memory_order_relaxed);
  }
  task();
  return true;
}

// True when there was a slot to enter. Workers begin at different slots, so that they spread over
// the loops of several callers.
bool ThreadPool::Impl::run_open_slots(int index) {
  const uint64_t mask = open.load(std::memory_order_relaxed);
  bool has_entered = false;
  for (uint64_t rest = std::rotr(mask, index); rest != 0; rest &= rest - 1) {
    const int number = (std::countr_zero(rest) + index) % kSlotCount;
    Slot& slot = slots[static_cast<size_t>(number)];
    if (!slot.enter()) continue;
    has_entered = true;
    slot.run_blocks();
    // Still inside, so this is the loop's own bit and not one of the slot's next user.
    open.fetch_and(~(uint64_t{1} << number), std::memory_order_relaxed);
    slot.leave();
  }
  return has_entered;
}

// A sleeper says so before it looks for work a last time, a caller shows its work before it looks
// for sleepers; both in the one order of sequential consistency, so one of them sees the other.
void ThreadPool::Impl::sleep() {
  std::unique_lock lock(mutex);
  sleeper_count.fetch_add(1, std::memory_order_seq_cst);
  work_is_there.wait(lock, [&] {
    return open.load(std::memory_order_seq_cst) != 0 ||
           task_count.load(std::memory_order_seq_cst) != 0 ||
           stopping.load(std::memory_order_seq_cst);
  });
  sleeper_count.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::Impl::wake(uint64_t wanted) {
  const uint64_t sleeping = sleeper_count.load(std::memory_order_seq_cst);
  if (sleeping == 0) return;
  { std::lock_guard lock(mutex); }
  if (wanted >= sleeping) {
    work_is_there.notify_all();
    return;
  }
  for (uint64_t i = 0; i < wanted; ++i) work_is_there.notify_one();
}

int ThreadPool::Impl::take_slot() {
  uint64_t mask = used.load(std::memory_order_relaxed);
  while (mask != ~uint64_t{0}) {
    const int number = std::countr_one(mask);
    if (used.compare_exchange_weak(mask, mask | uint64_t{1} << number, std::memory_order_acquire,
                                   std::memory_order_relaxed)) {
      return number;
    }
  }
  return -1;
}

void ThreadPool::Impl::run_divided(Slot& slot, uint64_t bit) {
  slot.state.store(kOpen, std::memory_order_release);
  open.fetch_or(bit, std::memory_order_seq_cst);
  wake(slot.block_count - 1);
  slot.run_blocks();
  open.fetch_and(~bit, std::memory_order_relaxed);
  slot.state.fetch_and(~kOpen, std::memory_order_relaxed);
  if (spin_until(spin_ns, [&] { return slot.is_left(); })) return;
  std::unique_lock lock(slot.mutex);
  slot.state.fetch_or(kCallerSleeps, std::memory_order_acq_rel);
  slot.left.wait(lock, [&] { return slot.is_left(); });
}

ThreadPool::ThreadPool(const ThreadPoolOptions& options) : impl_(std::make_unique<Impl>(options)) {}

ThreadPool::~ThreadPool() {
  if (impl_->stop()) return;
  ends_own_pool = true;
  static_cast<void>(impl_.release());  // its worker deletes it
}

int ThreadPool::thread_count() const { return impl_->thread_count; }

bool ThreadPool::start() {
  if (impl_->thread_count == 1) return true;
  std::call_once(impl_->started, [&] { impl_->start_workers(); });
  return !impl_->workers.empty();
}

bool ThreadPool::submit(std::function<void()> task) {
  Impl& pool = *impl_;
  if (pool.thread_count == 1 || !start()) return false;
  // Under the lock to the end: the task may be the one that ends the pool.
  std::lock_guard lock(pool.mutex);
  pool.tasks.push_back(std::move(task));
  pool.task_count.fetch_add(1, std::memory_order_seq_cst);
  pool.work_is_there.notify_one();
  return true;
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, Body body, void* context) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (count <= grain) return body(context, 0, count);
  Impl& pool = *impl_;
  int number = -1;
  if (pool.thread_count > 1 && !inside_block) {
    std::call_once(pool.started, [&] { pool.start_workers(); });
    number = pool.take_slot();
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
  Slot& slot = pool.slots[static_cast<size_t>(number)];
  slot.body = body;
  slot.context = context;
  slot.count = count;
  slot.grain = grain;
  slot.block_count = static_cast<uint64_t>(count / grain + (count % grain != 0 ? 1 : 0));
  slot.next_block.store(0, std::memory_order_relaxed);
  pool.run_divided(slot, uint64_t{1} << number);

  const bool has_failed = slot.has_failed.exchange(false, std::memory_order_relaxed);
  const std::exception_ptr exception = std::exchange(slot.exception, nullptr);
  pool.used.fetch_and(~(uint64_t{1} << number), std::memory_order_release);
  if (has_failed) std::rethrow_exception(exception);
}

}  // namespace ortc
