// SPDX-License-Identifier: MIT
// A profile: what a session did and when, as a Chrome trace (chrome://tracing, Perfetto) in ONNX
// Runtime's form. Events of category "Session" for loading and runs, of category "Node" for steps.
//
// Thread-safe. Events are kept in memory until end() writes the file as a whole, and become text
// only then, so that what is measured is the run and not the profile; beyond a million they are
// dropped, and the file says how many.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider/provider_profiler.h"
#include "core/run/runner.h"

namespace ortc {

class StagedFile;

class Profiler {
 public:
  // The file will be `<prefix>_<date>_<time>_<ms>.json`. INVALID_ARGUMENT when its folder is not
  // there.
  static Result<std::shared_ptr<Profiler>> start(const std::string& prefix, const Logger& logger);
  ~Profiler();  // ends it; a failure is logged
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  uint64_t start_ns() const { return start_ns_; }  // since 1970
  // Providers add what they did after the runtime's events. Not while events are added; null does
  // nothing.
  void add_provider(std::unique_ptr<ProviderProfiler> provider);
  // Tells providers; followed by add_step() or end_session_event() for the same time.
  void begin_event(int64_t begin_ns);
  void end_session_event(std::string_view name, int64_t begin_ns, int64_t end_ns);
  // One that began before there were providers.
  void add_session_event(std::string_view name, int64_t begin_ns, int64_t end_ns);
  void add_step(const StepEvent& event);
  // Writes the file and gives its name; "" when that was done already. After a failure nothing is
  // recorded any more, what was recorded is kept, and the next call tries again.
  Result<std::string> end();

 private:
  struct Event {
    bool is_step = false;
    std::string name;
    int64_t begin_ns = 0, end_ns = 0, thread = 0;
    size_t count = 0;  // of events_dropped
    // Of steps only. `types` has for each input, then for each output: type, rank, dims.
    std::string op, kernel, provider;
    int depth = 0;
    uint32_t index = 0, input_count = 0;
    std::vector<int64_t> types;
    uint64_t output_bytes = 0;
    ArenaUse use_before, use_after;
  };

  explicit Profiler(const Logger& logger) : logger_(logger) {}
  void add(Event event);
  void tell(const Event& event);
  uint64_t id_of(int64_t begin_ns) const;
  void ask_providers();
  Status write() const;
  Status write_events(StagedFile& file) const;
  std::string text_of(const Event& event) const;

  Logger logger_;
  std::string path_;
  uint64_t start_ns_ = 0;
  int64_t begin_ns_ = 0;
  std::atomic<bool> is_on_{true};
  std::vector<std::unique_ptr<ProviderProfiler>> providers_;
  std::mutex mutex_;
  std::vector<Event> events_;
  size_t dropped_ = 0;
  // Once is_on_ is false events_ stays as it is, and the end has these.
  std::mutex end_mutex_;
  bool has_ended_ = false, has_asked_providers_ = false;
  std::vector<ProfileEvent> events_of_providers_;
};

}  // namespace ortc
