// SPDX-License-Identifier: MIT
// A thread beside those that compute: see the header.
#include "core/platform/background_thread.h"

#include <pthread.h>
#include <uv.h>

#include "core/platform/machine/process.h"

namespace ortc {

SignalsBlocked::SignalsBlocked() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF}) {
    sigdelset(&blocked, own);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

struct BackgroundThread::Impl {
  ThreadHooks hooks;
  std::function<void()> work;
  int64_t process = process_number();
  uv_thread_t thread{};
  void* handle = nullptr;  // of the program's thread

  static void enter(void* parameter) {
    try {
      static_cast<Impl*>(parameter)->work();
    } catch (...) {  // memory ran out: what was begun stays as it is
    }
  }
};

BackgroundThread::BackgroundThread(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::unique_ptr<BackgroundThread> BackgroundThread::start(const ThreadHooks& hooks,
                                                          std::function<void()> work) {
  auto impl = std::make_unique<Impl>();
  impl->hooks = hooks;
  impl->work = std::move(work);
  Impl* parameter = impl.get();
  std::unique_ptr<BackgroundThread> made(new BackgroundThread(std::move(impl)));
  const SignalsBlocked signals_blocked;
  bool is_started;
  if (hooks.create) {
    parameter->handle = hooks.create(Impl::enter, parameter);
    is_started = parameter->handle != nullptr;
  } else {
    const auto entry = [](void* p) {
      pthread_setname_np(pthread_self(), "ortc-background");
      Impl::enter(p);
    };
    is_started = uv_thread_create(&parameter->thread, entry, parameter) == 0;
  }
  if (!is_started) made->impl_->process = -1;
  return is_started ? std::move(made) : nullptr;
}

BackgroundThread::~BackgroundThread() {
  if (impl_->process != process_number()) return;
  if (impl_->hooks.create) {
    impl_->hooks.join(impl_->handle);
  } else {
    uv_thread_join(&impl_->thread);
  }
}

}  // namespace ortc
