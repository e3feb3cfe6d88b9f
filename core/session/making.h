// SPDX-License-Identifier: MIT
// What the stages of one making share: options, log, progress, cancel, and the report that grows.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/context/compile_report.h"
#include "core/context/output/journal_view.h"
#include "core/platform/file_map.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"
#include "core/session/environment.h"
#include "core/session/session_options.h"

namespace ortc {

// Progress of making a session or compiling, as a fraction of all the work: never less than before,
// 1 at the end. A failure returned stops the work and comes back unchanged.
using Progress =
    std::function<Status(std::string_view stage, std::string_view detail, double fraction)>;

// Who listens, and when it must be through.
struct MakingLimits {
  Progress progress;
  int64_t deadline_ns = INT64_MAX;  // by now_ns()
  // Stops it, as the flag of the options does; may be null.
  std::shared_ptr<const std::atomic<bool>> cancel;
};

// One thread makes one thing with it.
class Making {
 public:
  Making(std::shared_ptr<const Environment> environment, SessionOptions options,
         MakingLimits limits);
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  const Environment& environment() const { return *environment_; }
  const SessionOptions& options() const { return options_; }
  const SessionSettings& settings() const { return options_; }
  const ContextSettings& context() const { return options_.context; }
  const Logger& logger() const { return logger_; }
  Access access() const;
  // The context model is not written after all.
  void write_nothing() { options_.context.enable = false; }

  // Ends the stage before and begins another: MODEL_LOAD_CANCELED after a cancel or the deadline,
  // or what the program's progress function says.
  Status begin_stage(std::string_view stage, std::string_view detail);
  // That of the stage.
  Work& work() { return work_; }
  // The threads that the session gets: its environment's, or its own, made at the first call.
  // Nothing is started before a loop is divided.
  Result<std::shared_ptr<ThreadPool>> pool();
  // The same for what is done before there is a session; null when none can be had.
  ThreadPool* helpers();
  void end_stage();
  // For a last stage that goes on when the making is over, on another thread: its work, and what to
  // call at its end. They need nothing of this object. Once it has begun, leave_open().
  Work work_beyond(std::string_view stage) const;
  std::function<void()> done_beyond() const;
  void leave_open() { goes_on_ = true; }
  // Everything is done: told, and whatever is answered comes too late.
  void finish();
  Status check_cancel() const;

  CompileReport report;
  // The files the model is read from; none while it comes from memory.
  std::optional<JournalView> journal;
  // What it was read from: the model and its external data. Those that come from memory are in no
  // file.
  std::vector<ReadFile> read_files;
  // Asks the program's function for a context, unless it was given one to keep before: initializers
  // may stand in it too, which are read first. Empty when the program set none.
  ContextDataReader context_reader(bool keeps);
  // A writer was at work while they were read.
  bool files_were_replaced() const { return journal.has_value() && !journal->is_unchanged(); }
  // From here on the program's functions and files get what is made.
  void begin_output() { has_output_ = true; }
  // A failure says nothing of the files that are there now: start again. Not for a program that was
  // given something, or that asked to stop.
  bool may_begin_again() const { return files_were_replaced() && !has_output_ && !is_stopped_; }

 private:
  std::shared_ptr<const Environment> environment_;
  SessionOptions options_;
  MakingLimits limits_;
  Logger logger_;
  Work work_;
  std::shared_ptr<ThreadPool> pool_;
  std::string stage_, detail_;
  int64_t stage_begin_ns_ = 0;
  bool goes_on_ = false;
  bool has_output_ = false;
  mutable std::atomic<bool> is_stopped_{false};
  std::map<std::string, Blob> given_contexts_;
};

// make(Making&) -> Result, again while files were replaced under it: readers never lock.
template <typename Make>
auto make_again(const std::shared_ptr<const Environment>& environment,
                const SessionOptions& options, const MakingLimits& limits, const Make& make) {
  constexpr int kAttempts = 50;
  for (int attempt = 1;; ++attempt) {
    Making making(environment, options, limits);
    auto made = make(making);
    if (made.is_ok()) {
      making.finish();
      return made;
    }
    if (attempt == kAttempts || !making.may_begin_again()) return made;
  }
}

}  // namespace ortc
