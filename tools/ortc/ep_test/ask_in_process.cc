// SPDX-License-Identifier: MIT
// A process for each check: its answer comes through a pipe, its end says the rest.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

constexpr size_t kMaxAnswer = 1 << 16;

Finding ask(const Check& check) {
  try {
    return check.ask();
  } catch (const ToolError& error) {
    return failed(error.code() + ": " + error.what());
  } catch (const std::exception& error) {
    return failed(std::string("an exception left the runtime: ") + error.what());
  }
}

// In the child: signals end it, since the thread that waits for them is the parent's alone; and it
// does not outlive its parent, whatever ends that.
void be_mortal(pid_t parent) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(3);
}

// In the child. Ends it without destructors of the process: those of the library are not asked.
[[noreturn]] void answer(const Check& check, int pipe) {
  const Finding finding = ask(check);
  std::string text = std::to_string(static_cast<int>(finding.verdict)) + finding.text;
  text.resize(std::min(text.size(), kMaxAnswer));
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) _exit(3);
    at += static_cast<size_t>(written);
  }
  std::fflush(nullptr);
  _exit(0);
}

// What came until the other end was closed; false when the time was up before.
bool read_all(int pipe, double seconds, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready = {pipe, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    char buffer[4096];
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count <= 0) return true;
    text.append(buffer, static_cast<size_t>(count));
  }
}

Finding finding_of(const std::string& text, int status) {
  if (WIFSIGNALED(status)) {
    return {CheckVerdict::kCrashed, std::string("the process ended by a signal: ") +
                                        strsignal(WTERMSIG(status)) +
                                        (text.empty() ? "" : ", after its answer")};
  }
  const bool is_answer = !text.empty() && text[0] >= '0' && text[0] <= '4';
  if (!is_answer || WEXITSTATUS(status) != 0) {
    return {CheckVerdict::kCrashed, "the process ended without an answer, with code " +
                                        std::to_string(WEXITSTATUS(status))};
  }
  return {static_cast<CheckVerdict>(text[0] - '0'), text.substr(1)};
}

}  // namespace

const char* verdict_name(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPassed:
      return "passed";
    case CheckVerdict::kFailed:
      return "failed";
    case CheckVerdict::kCrashed:
      return "crashed";
    case CheckVerdict::kLate:
      return "late";
    case CheckVerdict::kNotApplicable:
      return "not applicable";
  }
  return "unknown";
}

Finding ask_in_process(const Check& check, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw failure(std::string("pipe(): ") + std::strerror(errno));
  std::fflush(nullptr);
  std::atomic<pid_t> asked{0};
  std::optional<CancelScope> scope([&asked] {
    if (asked != 0) kill(asked, SIGKILL);
  });
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw failure(std::string("fork(): ") + std::strerror(errno));
  if (child == 0) {
    be_mortal(parent);
    close(ends[0]);
    answer(check, ends[1]);
  }
  close(ends[1]);
  asked = child;
  if (heard_signal() != 0) kill(child, SIGKILL);
  std::string text;
  const bool is_in_time = read_all(ends[0], seconds, text);
  scope.reset();  // before the number may be another process's
  close(ends[0]);
  if (!is_in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_in_time) {
    return {CheckVerdict::kLate,
            "there was no answer in " + std::to_string(static_cast<int>(seconds)) + " s"};
  }
  return finding_of(text, status);
}

}  // namespace ortc::tool
