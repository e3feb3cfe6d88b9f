// SPDX-License-Identifier: MIT
// The caller's thread is the first stream. All wait for each other between warming up and timing.

#include "tools/ortc/library/streams.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace ortc::tool {
namespace {

struct Stream {
  LatencySamples samples;
  std::vector<RunTime> runs;
  int64_t begin_ns = 0, end_ns = 0;
};

class Streams {
 public:
  Streams(const Runs& runs, const StreamPlan& plan)
      : runs_(runs), plan_(plan), streams_(plan.streams), warm_(to_latch(plan.streams)) {}

  StreamTimes measure() {
    std::vector<std::thread> threads;
    try {
      for (size_t i = 1; i < streams_.size(); i++) threads.emplace_back(&Streams::work, this, i);
    } catch (const std::system_error& error) {
      fail(std::make_exception_ptr(failure("a thread for stream " +
                                           std::to_string(threads.size() + 2) +
                                           " could not be made: " + error.code().message())));
      warm_.count_down(to_latch(streams_.size() - 1 - threads.size()));
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    return collect();
  }

 private:
  static std::ptrdiff_t to_latch(size_t count) { return static_cast<std::ptrdiff_t>(count); }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    has_failed_ = true;
  }

  void work(size_t number) {
    try {
      for (uint64_t i = 0; i < plan_.warmup && !has_failed_; i++) runs_.run();
    } catch (...) {
      fail(std::current_exception());
    }
    warm_.arrive_and_wait();
    try {
      time(number, streams_[number]);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void time(size_t number, Stream& stream) {
    const size_t listed_max = plan_.listed_max / streams_.size();
    const auto limit_ns = static_cast<int64_t>(plan_.duration_s * 1e9);
    stream.begin_ns = clock_.elapsed_ns();
    const auto is_done = [&] {
      if (has_failed_) return true;
      if (plan_.iterations > 0) return taken_.fetch_add(1) >= plan_.iterations;
      return stream.samples.run_count() > 0 && clock_.elapsed_ns() - stream.begin_ns >= limit_ns;
    };
    while (!is_done()) {
      const int64_t begin_ns = clock_.elapsed_ns();
      const auto values = runs_.run();
      const int64_t duration_ns = clock_.elapsed_ns() - begin_ns;
      stream.samples.add(duration_ns);
      if (stream.runs.size() < listed_max) stream.runs.push_back({number, begin_ns, duration_ns});
    }
    stream.end_ns = clock_.elapsed_ns();
  }

  StreamTimes collect() {
    StreamTimes times;
    int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = 0;
    for (Stream& stream : streams_) {
      if (stream.samples.run_count() == 0) continue;  // the others had all iterations
      begin_ns = std::min(begin_ns, stream.begin_ns);
      end_ns = std::max(end_ns, stream.end_ns);
      times.samples.merge(std::move(stream.samples));
      times.runs.insert(times.runs.end(), stream.runs.begin(), stream.runs.end());
    }
    for (RunTime& run : times.runs) run.start_ns -= begin_ns;
    std::sort(times.runs.begin(), times.runs.end(),
              [](const RunTime& a, const RunTime& b) { return a.start_ns < b.start_ns; });
    times.samples.finish();
    times.elapsed_ns = end_ns - begin_ns;
    return times;
  }

  const Runs& runs_;
  const StreamPlan& plan_;
  const Stopwatch clock_;
  std::vector<Stream> streams_;
  std::latch warm_;
  std::atomic<uint64_t> taken_{0};  // iterations
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;  // the first
};

}  // namespace

double StreamTimes::runs_per_second() const {
  return static_cast<double>(samples.run_count()) * 1e9 /
         static_cast<double>(std::max<int64_t>(elapsed_ns, 1));
}

StreamTimes timed_runs(const Runs& runs, const StreamPlan& plan) {
  return Streams(runs, plan).measure();
}

}  // namespace ortc::tool
