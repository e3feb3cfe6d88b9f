// SPDX-License-Identifier: MIT
// The thread pool: one set of workers, and a fresh one in a forked child.
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "core/platform/pool/pool_settings.h"
#include "core/platform/pool/workers.h"

namespace ortc {
namespace {

// How many forks lie between this process and the one that loaded the library.
constinit std::atomic<uint32_t> fork_count{0};
constinit std::once_flag forks_are_watched;

// Of the pool that this thread is making; null: as most are.
constinit thread_local const PoolSettings* given_settings = nullptr;

void watch_forks() {
  std::call_once(forks_are_watched, [] {
    const auto in_child = [] {
      fork_count.fetch_add(1, std::memory_order_relaxed);
      Workers::forget_callers();
    };
    if (pthread_atfork(nullptr, nullptr, in_child) != 0) throw std::bad_alloc();
  });
}

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(const ThreadPoolOptions& given)
      : options(given), settings(given_settings != nullptr ? *given_settings : PoolSettings()) {
    watch_forks();
    current.store(new Workers(options, settings, fork_count.load()));
  }
  ~Impl() {
    // Those of a parent process are left as they are: nobody is there to be joined, and somebody
    // who is not here may hold their locks.
    if (is_here(*current.load())) current.load()->end();
  }

  static bool is_here(const Workers& workers) {
    return workers.process() == fork_count.load(std::memory_order_relaxed);
  }
  Workers& workers() {
    Workers* workers = current.load(std::memory_order_acquire);
    if (is_here(*workers)) [[likely]]
      return *workers;
    return replace(workers);
  }
  // In a forked child. Of several threads the first gives its own to all.
  Workers& replace(Workers* inherited) {
    auto* fresh = new Workers(options, settings, fork_count.load());
    if (current.compare_exchange_strong(inherited, fresh, std::memory_order_acq_rel)) return *fresh;
    fresh->end();
    return *inherited;
  }

  const ThreadPoolOptions options;
  const PoolSettings settings;
  std::atomic<Workers*> current{nullptr};
};

ThreadPool::ThreadPool(const ThreadPoolOptions& options) : impl_(std::make_unique<Impl>(options)) {}

ThreadPool::~ThreadPool() = default;

std::shared_ptr<ThreadPool> make_pool(const ThreadPoolOptions& options,
                                      const PoolSettings& settings) {
  struct Giving {
    explicit Giving(const PoolSettings& settings) { given_settings = &settings; }
    ~Giving() { given_settings = nullptr; }
  };
  const Giving giving(settings);
  return std::make_shared<ThreadPool>(options);
}

Result<std::shared_ptr<ThreadPool>> make_pool(const ThreadPoolOptions& options,
                                              const WorkCallbacks& callbacks,
                                              std::string_view affinities, const Logger& logger) {
  // Who hears of shares hears of all there could be.
  PoolSettings settings{.callbacks = callbacks, .measures_loops = !callbacks.is_set()};
  ASSIGN_OR_RETURN(settings.affinities, parse_affinities(affinities));
  if (!settings.affinities.empty() && !can_pin_threads()) {
    ORTC_LOG(logger, kWarning, "threads", "affinities have no effect on this system");
    settings.affinities.clear();
  }
  settings.warn = [logger](std::string_view text) { ORTC_LOG(logger, kWarning, "threads", text); };
  auto pool = make_pool(options, settings);
  RETURN_IF_ERROR(check_affinity_count(settings.affinities, pool->thread_count()));
  if (!settings.affinities.empty() && pool->thread_count() == 1) {
    ORTC_LOG(logger, kWarning, "threads",
             "affinities have no effect: the only thread is the caller's");
  }
  return pool;
}

int ThreadPool::thread_count() const { return impl_->current.load()->thread_count(); }

bool ThreadPool::start() { return impl_->workers().start(); }

bool ThreadPool::submit(std::function<void()> task) {
  return impl_->workers().submit(std::move(task));
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, Body body, void* context) {
  impl_->workers().parallel_for(count, grain, body, context);
}

}  // namespace ortc
