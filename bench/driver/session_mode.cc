// SPDX-License-Identifier: MIT
// One session: what it costs to make, to run first, to run on. Memory is read between the times,
// never within them.
#include <sys/resource.h>

#include <algorithm>
#include <memory>

#include "bench/driver/memory.h"
#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

// Processor time of all threads of this process.
double processor_ms() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

struct SteadyRuns {
  std::vector<double> times;  // sorted, in milliseconds
  double processor_ms = 0;    // per run
};

// Runs until both the time and the least number of runs are reached, or the most.
SteadyRuns steady_runs(Runner& runner, const Arguments& arguments) {
  std::vector<double> times;
  const double before = processor_ms();
  const Stopwatch all;
  while (times.size() < arguments.most_runs &&
         (times.size() < arguments.least_runs || all.ms() < arguments.seconds * 1e3)) {
    times.push_back(runner.run());
  }
  const double used = processor_ms() - before;
  std::sort(times.begin(), times.end());
  return {times, times.empty() ? 0 : used / static_cast<double>(times.size())};
}

void add_steady(JsonText& result, const SteadyRuns& steady) {
  const std::vector<double>& times = steady.times;
  if (times.empty()) throw Failure("no steady run was asked for");
  const size_t half = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
  result.add("steady", JsonText()
                           .add("runs", uint64_t{times.size()})
                           .add("min_ms", times.front())
                           .add("median_ms", median)
                           .add("max_ms", times.back())
                           .add("processor_ms", steady.processor_ms));
}

}  // namespace

void measure_session(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 1) throw Failure("this mode takes one --model");
  const Library& library = start.library;
  const OrtSessionOptions* options = make_options(library, arguments);
  std::unique_ptr<PeakSampler> sampler;
  if (arguments.is_peak_wanted) sampler = std::make_unique<PeakSampler>();
  const Stopwatch watch;
  Runner runner(library, make_session(library, start.env, arguments.models[0], options));
  result.add("load_ms", watch.ms());
  if (sampler) result.add("peak_load_bytes", sampler->stop());
  const uint64_t after_load = private_bytes();
  JsonText memory;
  memory.add("base_bytes", start.base_bytes).add("after_load_bytes", after_load);
  if (arguments.is_first_run_wanted) {
    runner.prepare(arguments.inputs);
    const uint64_t with_inputs = private_bytes();
    std::vector<OrtValue*> outputs;
    result.add("first_run_ms", runner.run(outputs));
    // The inputs are this program's own.
    memory.add("after_first_run_bytes", private_bytes() - (with_inputs - after_load));
    if (!arguments.dump.empty()) runner.dump(outputs, arguments.dump);
    runner.release(outputs);
    if (arguments.seconds > 0 || arguments.least_runs > 0) {
      add_steady(result, steady_runs(runner, arguments));
    }
  }
  result.add("memory", memory).add("resident_bytes", resident_bytes());
}

void measure_optimise(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 1 || arguments.outputs.size() != 1) {
    throw Failure("this mode takes one --model and one --output");
  }
  OrtSessionOptions* options = make_options(start.library, arguments);
  start.library.check(
      start.library.api->SetOptimizedModelFilePath(options, arguments.outputs[0].c_str()),
      "SetOptimizedModelFilePath");
  const Stopwatch watch;
  make_session(start.library, start.env, arguments.models[0], options);
  result.add("optimise_ms", watch.ms());
}

void measure_profile(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 1 || arguments.profile.empty()) {
    throw Failure("this mode takes one --model and --profile");
  }
  const Library& library = start.library;
  Runner runner(library, make_session(library, start.env, arguments.models[0],
                                      make_options(library, arguments)));
  runner.prepare(arguments.inputs);
  runner.run();
  add_steady(result, steady_runs(runner, arguments));
  OrtAllocator* allocator = nullptr;
  char* file = nullptr;
  library.check(library.api->GetAllocatorWithDefaultOptions(&allocator),
                "GetAllocatorWithDefaultOptions");
  library.check(library.api->SessionEndProfiling(runner.session, allocator, &file),
                "SessionEndProfiling");
  result.add("profile", std::string(file));
}

}  // namespace bench
