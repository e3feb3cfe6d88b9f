// SPDX-License-Identifier: MIT
// What session.context_residency does: results are the same, and the weights are where it says.
#include "core/session/memory/session_memory.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/memory/page_counts.h"
#include "tests/support/session_support.h"
#include "tests/support/smaps.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kNetworkWidth = 1024;  // 8 MB of weights
constexpr const char* kModes[] = {"lazy", "prefetch", "populate", "locked", "copied"};

std::string compiled_network() {
  static const std::string path = [] {
    const std::string source = temp_dir() + "/m.onnx", context = temp_dir() + "/m_ctx.onnx";
    write_whole_file(source, small_network(kNetworkWidth));
    compile_to(source, context);
    return context;
  }();
  return path;
}

// "step 0.5": what a program was told.
struct Told {
  std::mutex mutex;
  std::vector<std::pair<std::string, double>> calls;
  std::function<Status()> answer = [] { return Status::ok(); };

  MakingLimits limits() {
    MakingLimits limits;
    limits.progress = [this](std::string_view stage, std::string_view, double fraction) {
      const std::lock_guard lock(mutex);
      calls.emplace_back(stage, fraction);
      return answer();
    };
    return limits;
  }
  void check() {
    const std::lock_guard lock(mutex);
    double last = 0;
    for (const auto& [stage, fraction] : calls) {
      CHECK(fraction >= last && fraction <= 1);
      last = fraction;
    }
    CHECK(!calls.empty() && calls.back() == std::pair(std::string("done"), 1.0));
  }
  bool has(std::string_view stage) {
    const std::lock_guard lock(mutex);
    for (const auto& call : calls) {
      if (call.first == stage) return true;
    }
    return false;
  }
};

Result<std::unique_ptr<Session>> make(const char* residency, const MakingLimits& limits = {}) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CHECK_OK(options.set("session.context_residency", residency));
  return Session::create(environment, file_source(compiled_network()), options, limits);
}

std::unique_ptr<Session> made(const char* residency, const MakingLimits& limits = {}) {
  auto session = make(residency, limits);
  CHECK_OK(session);
  return std::move(session).value();
}

uint64_t resident_weights(const Session& session) {
  const auto counts = count_pages(session.memory().ranges());
  CHECK_OK(counts);
  return counts->resident_bytes;
}

bool wait_until(const std::function<bool()>& is_so) {
  for (const int64_t end = now_ns() + 20'000'000'000; now_ns() < end;) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

TEST(session_memory, results_are_the_same_wherever_the_weights_are) {
  std::vector<Tensor> expected;
  for (const char* mode : kModes) {
    const auto session = make(mode);
    if (!session.is_ok() && std::string_view(mode) == "locked") continue;  // not allowed here
    CHECK_OK(session);
    std::vector<Tensor> inputs;
    for (const Port& port : (*session)->inputs()) inputs.push_back(random_input(port, 3, 1));
    const std::vector<Tensor> outputs = run_all(**session, inputs);
    if (expected.empty()) expected = outputs;
    CHECK(same_bits(outputs, expected));
  }
}

TEST(session_memory, populated_weights_are_there_before_the_session_is) {
  if (is_emulated()) return;
  Told told;
  const auto session = made("populate", told.limits());
  CHECK_EQ(resident_weights(*session), total_bytes(session->memory().ranges()));
  CHECK(session->memory().prefetch() == nullptr);
  CHECK(told.has("populate"));
  told.check();
  CHECK(session->report_json().find("\"stage\":\"populate\"") != std::string::npos);
}

TEST(session_memory, lazy_weights_are_not_touched) {
  if (is_emulated()) return;
  Told told;
  const auto session = made("lazy", told.limits());
  CHECK(resident_weights(*session) < total_bytes(session->memory().ranges()) / 4);
  CHECK(!told.has("populate") && !told.has("prefetch"));
  told.check();
}

TEST(session_memory, prefetched_weights_come_while_the_session_is_used) {
  if (is_emulated()) return;
  Told told;
  const auto session = made("prefetch", told.limits());
  const Prefetch* prefetch = session->memory().prefetch();
  CHECK(prefetch != nullptr);
  std::vector<Tensor> inputs;
  for (const Port& port : session->inputs()) inputs.push_back(random_input(port, 3, 1));
  CHECK(!run_all(*session, inputs).empty());
  CHECK(wait_until([&] { return prefetch->state() != Prefetch::State::kRunning; }));
  CHECK(prefetch->state() == Prefetch::State::kDone);
  CHECK_EQ(prefetch->done_bytes(), prefetch->expected_bytes());
  CHECK_EQ(resident_weights(*session), total_bytes(session->memory().ranges()));
  told.check();
}

TEST(session_memory, a_program_stops_a_prefetch_and_the_session_goes_on) {
  Told told;
  bool is_made = false;  // under told.mutex
  told.answer = [&] { return is_made ? make_status(Code::kFail, "enough") : Status::ok(); };
  MakingLimits limits = told.limits();
  limits.progress = [&told, &is_made, inner = limits.progress](
                        std::string_view stage, std::string_view detail, double fraction) {
    if (stage == "prefetch") {
      const std::lock_guard lock(told.mutex);
      is_made = true;
    }
    return inner(stage, detail, fraction);
  };
  const auto session = made("prefetch", limits);
  const Prefetch* prefetch = session->memory().prefetch();
  CHECK(wait_until([&] { return prefetch->state() != Prefetch::State::kRunning; }));
  CHECK(prefetch->state() == Prefetch::State::kStopped);
  std::vector<Tensor> inputs;
  for (const Port& port : session->inputs()) inputs.push_back(random_input(port, 3, 1));
  CHECK(!run_all(*session, inputs).empty());
}

TEST(session_memory, a_session_may_end_during_its_prefetch) {
  for (int i = 0; i < 20; ++i) made("prefetch");
}

TEST(session_memory, a_cancelled_session_is_not_populated_to_the_end) {
  Told told;
  MakingLimits limits = told.limits();
  const auto cancel = std::make_shared<std::atomic<bool>>(false);
  limits.cancel = cancel;
  limits.progress = [cancel](std::string_view stage, std::string_view, double) {
    if (stage == "populate") *cancel = true;
    return Status::ok();
  };
  CHECK_CODE(make("populate", limits), Code::kModelLoadCanceled);
}

TEST(session_memory, a_cancelled_session_does_not_copy_its_files) {
  MakingLimits limits;
  const auto cancel = std::make_shared<std::atomic<bool>>(false);
  limits.cancel = cancel;
  limits.progress = [cancel](std::string_view stage, std::string_view, double) {
    if (stage == "compile") *cancel = true;
    return Status::ok();
  };
  CHECK_CODE(make("copied", limits), Code::kModelLoadCanceled);
}

TEST(session_memory, a_forked_child_releases_a_session_whose_prefetch_it_has_not) {
  auto session = made("prefetch");
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(20);
    session.reset();
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(session_memory, locks_end_with_the_last_session_that_has_them) {
  if (is_emulated() || kIgnoresLocks) return;
  const auto first = make("locked");
  if (!first.is_ok()) return;  // not allowed here
  const auto locked = [] { return smaps_of_folder(temp_dir()).locked; };
  const uint64_t alone = locked();
  CHECK(alone >= uint64_t{kNetworkWidth} * kNetworkWidth * 8);
  const auto lazy = made("lazy");
  {
    const auto second = make("locked");
    CHECK_OK(second);
    CHECK_EQ(locked(), alone);
  }
  CHECK_EQ(locked(), alone);
  const_cast<std::unique_ptr<Session>&>(first.value()).reset();
  CHECK_EQ(locked(), 0u);
}

// In a child, as a user who may lock next to nothing.
TEST(session_memory, weights_that_may_not_be_locked_are_a_failure_that_names_the_limit) {
  if (is_emulated() || kIgnoresLocks) return;
  compiled_network();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const rlimit limit{65536, 65536};
    CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    if (chmod(temp_dir().c_str(), 0755) != 0) _exit(1);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    const auto session = make("locked");
    CHECK_CODE(session, Code::kFail);
    const std::string& text = session.status().message();
    CHECK(text.find("session.context_residency=locked needs ") != std::string::npos);
    CHECK(text.find("may lock 65536 bytes in all (ulimit -l, RLIMIT_MEMLOCK)") !=
          std::string::npos);
    _exit(smaps_of_folder(temp_dir()).locked == 0 ? 0 : 3);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

TEST(session_memory, a_word_that_is_no_residency_is_refused_with_the_nearest) {
  SessionOptions options;
  const Status status = options.set("session.context_residency", "populated");
  CHECK_CODE(status, Code::kInvalidArgument);
  CHECK(status.message().find("'populate'") != std::string::npos);
}
