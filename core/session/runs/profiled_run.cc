// SPDX-License-Identifier: MIT
// Runs that write a profile.
#include "core/platform/clock.h"
#include "core/session/runs/session_run.h"

namespace ortc {

// What the run does goes into the session's profile, and into one of its own when the options say
// so. Both have failures, too.
Status SessionRun::run_profiled(bool has_own_profile) {
  const auto& of_session = session_.facts_.profiler;
  std::vector<std::shared_ptr<Profiler>> profilers;
  if (of_session != nullptr && of_session->is_on()) profilers.push_back(of_session);
  if (has_own_profile) {
    ASSIGN_OR_RETURN(auto own, Profiler::start(call_.options->profile_prefix, session_.logger_));
    session_.add_providers(*own);
    profilers.push_back(std::move(own));
  }
  const StepBegins begins = [&](int64_t begin_ns) {
    for (const auto& profiler : profilers) profiler->begin_event(begin_ns);
  };
  const StepObserver recording = [&](const StepEvent& event) {
    for (const auto& profiler : profilers) profiler->add_step(event);
    if (call_.observer != nullptr) (*call_.observer)(event);
  };
  const int64_t begin = now_ns();
  begins(begin);
  const int64_t execute_begin = now_ns();
  begins(execute_begin);
  Status status = execute(&recording, &begins);
  const int64_t end = now_ns();
  for (const auto& profiler : profilers) {
    profiler->end_session_event("SequentialExecutor::Execute", execute_begin, end);
    profiler->end_session_event("model_run", begin, now_ns());
  }
  if (!has_own_profile) return status;
  const auto written = profilers.back()->end();
  return status.is_ok() ? written.status() : status;
}

}  // namespace ortc
