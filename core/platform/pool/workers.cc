// SPDX-License-Identifier: MIT
// Workers: see the header.
#include "core/platform/pool/workers.h"

#include <pthread.h>

#include <bit>
#include <utility>

#include "core/platform/background_thread.h"
#include "core/platform/clock.h"
#include "core/platform/cpu.h"
#include "core/platform/machine/floating_point_mode.h"
#include "core/platform/pool/loop_costs.h"

namespace ortc {
namespace {

// Of one thread: less is not worth the cache lines that two share; not worth waking one.
constexpr uint32_t kWorthSharingNs = 4'000, kWorthWakingNs = 25'000;
// A worker is woken for short loops when so many have come, each so soon after the one before: it
// stays awake between them.
constexpr uint32_t kManyLoops = 16;
constexpr int64_t kSoonNs = 20'000;

constinit LoopCosts loop_costs;
// Callers of this process that divide loops now, in all pools.
constinit std::atomic<int> caller_count{0};

// A caller that others see.
class Caller {
 public:
  Caller() : number_(caller_count.fetch_add(1, std::memory_order_relaxed) + 1) {}
  ~Caller() { caller_count.fetch_sub(1, std::memory_order_relaxed); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  // False when each processor has a caller of its own: workers would only take turns with them.
  // Callers may be held on one processor while workers have others, as many as there are threads.
  bool leaves_a_processor(int thread_count) const {
    static const int processors = logical_cpu_count();
    return number_ == 1 || number_ < std::max(processors, thread_count);
  }

 private:
  const int number_;
};

// From `begin` on, the first of a block.
void run_alone(int64_t begin, int64_t count, int64_t grain, ThreadPool::Body body, void* context) {
  while (begin < count) {
    const int64_t size = std::min(grain, count - begin);
    body(context, begin, begin + size);
    begin += size;
  }
}

// True while this thread runs a block of a divided loop.
constinit thread_local bool inside_block = false;

// What this thread is in the pool it works for, and whether it deletes that in the end.
constinit thread_local const void* own_worker = nullptr;
constinit thread_local bool ends_own_workers = false;

// Takes blocks until none are left; gives their number.
uint64_t run_blocks(LoopSlot& slot, size_t half) {
  inside_block = true;
  const uint64_t taken = slot.run_blocks(half);
  inside_block = false;
  return taken;
}

// The same, where somebody may hear of it.
uint64_t take_share(LoopSlot& slot, size_t half) {
  if (slot.told == nullptr) [[likely]]
    return run_blocks(slot, half);
  uint64_t taken = 0;
  slot.told->run_share([&] { taken = run_blocks(slot, half); });
  return taken;
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

Workers::Workers(const ThreadPoolOptions& options, const PoolSettings& settings, uint32_t process)
    : process_(process),
      thread_count_(
          std::clamp(options.thread_count == 0 ? logical_cpu_count() : options.thread_count, 1,
                     kThreadCountMax)),
      spin_ns_(options.allow_spinning ? int64_t{1000} * std::max(options.spin_duration_us, 0) : 0),
      hooks_(options.hooks),
      settings_(settings) {}

// What a worker's thread does. It lives at least as long as the pool, but for the one that ended
// the pool itself.
void Workers::enter(void* parameter) {
  const auto* self = static_cast<Worker*>(parameter);
  Workers* workers = self->workers;
  own_worker = self;
  workers->pin(self->index);
  workers->work(self->index);
  own_worker = nullptr;
  if (ends_own_workers) delete workers;
}

// The calling thread goes to its processors. It works all the same when the system has none of
// them.
void Workers::pin(int index) const {
  const auto number = static_cast<size_t>(index) - 1;
  if (number >= settings_.affinities.size()) return;
  try {
    const Status status = pin_this_thread(settings_.affinities[number]);
    if (status.is_ok() || !settings_.warn) return;
    settings_.warn(str_cat("thread ", index,
                           " does not stay on the processors of its group: ", status.message()));
  } catch (const std::bad_alloc&) {  // nobody hears of it
  }
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
    worker_count_.fetch_add(1, std::memory_order_relaxed);
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
  // A new thread has the mode of the one that made it, which may be any caller.
  FloatingPointMode::standard().set();
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
    {
      const InFloatingPointMode as_caller(slot.mode);
      take_share(slot, static_cast<size_t>(index) % 2);
    }
    // Still inside, so this is the loop's own bit and not one of the slot's next user.
    open_.fetch_and(~(uint64_t{1} << number), std::memory_order_relaxed);
    slot.leave();
  }
  return has_entered;
}

// A sleeper says so before it looks for work a last time, a caller shows its work before it looks
// for sleepers; both in the one order of sequential consistency, so one of them sees the other. Who
// is woken gets up even when it comes too late: it was called for the loops that follow as well.
void Workers::sleep() {
  std::unique_lock lock(mutex_);
  const uint64_t calls = call_count_;
  sleeper_count_.fetch_add(1, std::memory_order_seq_cst);
  work_is_there_.wait(lock, [&] {
    return call_count_ != calls || open_.load(std::memory_order_seq_cst) != 0 ||
           task_count_.load(std::memory_order_seq_cst) != 0 ||
           stopping_.load(std::memory_order_seq_cst);
  });
  sleeper_count_.fetch_sub(1, std::memory_order_relaxed);
}

void Workers::wake(uint64_t wanted) {
  const uint64_t sleeping = sleeper_count_.load(std::memory_order_seq_cst);
  if (sleeping == 0) return;
  {
    std::lock_guard lock(mutex_);
    ++call_count_;
  }
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
int64_t Workers::run_loop(LoopSlot& slot, uint64_t bit, Help help) {
  if (!settings_.callbacks.is_set()) [[likely]]
    return run_divided(slot, bit, help);
  ToldLoop told(settings_.callbacks, std::min<size_t>(slot.block_count, workers_.size() + 1));
  slot.told = &told;
  const int64_t cost_ns = run_divided(slot, bit, help);
  slot.told = nullptr;
  return cost_ns;
}

// By what the caller's own blocks have taken, the time of them all; negative when others took all.
int64_t Workers::run_divided(LoopSlot& slot, uint64_t bit, Help help) {
  slot.state.store(LoopSlot::kOpen, std::memory_order_release);
  open_.fetch_or(bit, std::memory_order_seq_cst);
  if (help == Help::kEverybody) wake(slot.block_count - 1);
  const int64_t begin_ns = now_ns();
  const uint64_t taken = take_share(slot, 0);
  const int64_t own_ns = now_ns() - begin_ns;
  if (slot.told != nullptr) run_blocks(slot, 0);  // without memory for shares, all of them
  open_.fetch_and(~bit, std::memory_order_relaxed);
  slot.state.fetch_and(~LoopSlot::kOpen, std::memory_order_relaxed);
  const int64_t cost_ns = taken == 0 ? -1
                                     : static_cast<int64_t>(static_cast<double>(own_ns) *
                                                            static_cast<double>(slot.block_count) /
                                                            static_cast<double>(taken));
  if (spin_until(spin_ns_, [&] { return slot.has_no_worker(); })) return cost_ns;
  std::unique_lock lock(slot.mutex);
  slot.state.fetch_or(LoopSlot::kCallerSleeps, std::memory_order_acq_rel);
  slot.left.wait(lock, [&] { return slot.has_no_worker(); });
  return cost_ns;
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

void Workers::forget_callers() { caller_count.store(0, std::memory_order_relaxed); }

// Workers that wait awake are asked to all but the shortest loops. Sleeping ones are woken for long
// loops, for new ones, and when short ones follow each other closely.
Workers::Help Workers::help_for(uint32_t cost_ns) {
  if (cost_ns >= kWorthWakingNs) return Help::kEverybody;  // LoopCosts::kUnknown too
  if (cost_ns < kWorthSharingNs) return Help::kNobody;
  const uint32_t sleeping = sleeper_count_.load(std::memory_order_relaxed);
  if (worker_count_.load(std::memory_order_relaxed) > sleeping) return Help::kAwake;
  if (spin_ns_ < kSoonNs) return Help::kNobody;
  const int64_t now = now_ns();
  const bool is_soon = now - last_loop_ns_.exchange(now, std::memory_order_relaxed) <
                       kSoonNs + static_cast<int64_t>(cost_ns);
  const uint32_t in_a_row =
      is_soon ? loops_in_a_row_.load(std::memory_order_relaxed) + 1 : uint32_t{0};
  loops_in_a_row_.store(in_a_row < kManyLoops ? in_a_row : 0, std::memory_order_relaxed);
  return in_a_row < kManyLoops ? Help::kNobody : Help::kEverybody;
}

void Workers::divide_if_it_pays(int64_t count, int64_t grain, ThreadPool::Body body,
                                void* context) {
  const Caller caller;
  if (!caller.leaves_a_processor(thread_count_)) return run_alone(0, count, grain, body, context);
  const uint64_t name = LoopCosts::name_of(reinterpret_cast<const void*>(body), count, grain);
  const Help help = help_for(loop_costs.cost(name));
  if (help != Help::kNobody) {
    const int64_t cost_ns = divide(0, count, grain, body, context, help);
    if (cost_ns >= 0) loop_costs.learn(name, cost_ns);
    return;
  }
  // Short, by its name; but other loops may have that too. The first block tells.
  const int64_t begin_ns = now_ns();
  body(context, 0, grain);
  const int64_t blocks = count / grain + (count % grain != 0 ? 1 : 0);
  const double cost_ns = static_cast<double>(now_ns() - begin_ns) * static_cast<double>(blocks);
  loop_costs.learn(name, static_cast<int64_t>(std::min(cost_ns, 1e9)));
  if (cost_ns < 2.0 * kWorthWakingNs) return run_alone(grain, count, grain, body, context);
  static_cast<void>(divide(grain, count, grain, body, context, Help::kEverybody));
}

void Workers::parallel_for(int64_t count, int64_t grain, ThreadPool::Body body, void* context) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (count <= grain) return body(context, 0, count);
  if (thread_count_ == 1 || inside_block) return run_alone(0, count, grain, body, context);
  if (settings_.measures_loops) return divide_if_it_pays(count, grain, body, context);
  static_cast<void>(divide(0, count, grain, body, context, Help::kEverybody));
}

int64_t Workers::divide(int64_t begin, int64_t count, int64_t grain, ThreadPool::Body body,
                        void* context, Help help) {
  static_cast<void>(start());
  const int number = take_slot();
  if (number < 0) {  // more callers than slots
    run_alone(begin, count, grain, body, context);
    return -1;
  }
  LoopSlot& slot = slots_[static_cast<size_t>(number)];
  slot.body = body;
  slot.context = context;
  slot.count = count;
  slot.grain = grain;
  slot.mode = FloatingPointMode::current();
  slot.block_count = static_cast<uint64_t>(count / grain + (count % grain != 0 ? 1 : 0));
  slot.set_blocks(static_cast<uint64_t>(begin / grain));
  const int64_t cost_ns = run_loop(slot, uint64_t{1} << number, help);

  const bool has_failed = slot.has_failed.exchange(false, std::memory_order_relaxed);
  const std::exception_ptr exception = std::exchange(slot.exception, nullptr);
  used_.fetch_and(~(uint64_t{1} << number), std::memory_order_release);
  if (has_failed) std::rethrow_exception(exception);
  return cost_ns;
}

}  // namespace ortc
