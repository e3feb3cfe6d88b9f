// SPDX-License-Identifier: MIT
// The state is never destroyed: the waiting thread lives until the process ends.

#include "tools/ortc/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ortc::tool {
namespace {

struct State {
  std::atomic<int> heard{0};
  // Guards the others; held while they are called, so that they cannot end meanwhile.
  std::mutex mutex;
  std::function<void()> cancel;
  std::vector<const std::function<void()>*> cleans;
};

State& state() {
  static State* const only = new State;
  return *only;
}

[[noreturn]] void end(const State& s, int number) {
  for (auto clean = s.cleans.rbegin(); clean != s.cleans.rend(); ++clean) (**clean)();
  _exit(kExitSignal + number);
}

[[noreturn]] void wait_for_signals(sigset_t signals) {
  State& s = state();
  for (;;) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    const std::lock_guard lock(s.mutex);
    const bool is_first = s.heard.exchange(number) == 0;
    if (!is_first || !s.cancel) end(s, number);
    s.cancel();
  }
}

const char* signal_name(int number) {
  switch (number) {
    case SIGINT:
      return "Ctrl-C";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "a signal";
  }
}

}  // namespace

void watch_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    const bool is_ignored =
        sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&signals, number);
  }
  state();
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return;
  try {
    std::thread(wait_for_signals, signals).detach();
  } catch (const std::system_error&) {
    // Without the thread signals do what they always do: end the process.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

CancelScope::CancelScope(std::function<void()> cancel) {
  throw_if_cancelled();
  const std::lock_guard lock(state().mutex);
  state().cancel = std::move(cancel);
}

CancelScope::~CancelScope() {
  const std::lock_guard lock(state().mutex);
  state().cancel = nullptr;
}

CleanScope::CleanScope(std::function<void()> clean) : clean_(std::move(clean)) {
  const std::lock_guard lock(state().mutex);
  state().cleans.push_back(&clean_);
}

CleanScope::~CleanScope() {
  const std::lock_guard lock(state().mutex);
  auto& cleans = state().cleans;
  cleans.erase(std::find(cleans.begin(), cleans.end(), &clean_));
}

int heard_signal() { return state().heard.load(std::memory_order_relaxed); }

ToolError cancelled_error() {
  const int number = heard_signal();
  return ToolError(kExitSignal + number, "CANCELLED",
                   std::string("stopped by ") + signal_name(number));
}

void throw_if_cancelled() {
  if (heard_signal() != 0) throw cancelled_error();
}

}  // namespace ortc::tool
