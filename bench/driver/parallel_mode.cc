// SPDX-License-Identifier: MIT
// Does one session slow the other? The same runs, first one session after the other, then both at
// once on a thread each; alternately, so that a slow moment of the machine meets both.
#include <algorithm>
#include <thread>

#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

constexpr int kRounds = 3;

double run_times(Runner& runner, uint64_t runs) {
  const Stopwatch watch;
  for (uint64_t i = 0; i < runs; i++) runner.run();
  return watch.ms();
}

double both_at_once(Runner& a, Runner& b, uint64_t runs) {
  std::string error;
  const Stopwatch watch;
  std::thread other([&] {
    try {
      run_times(b, runs);
    } catch (const Failure& failure) {
      error = failure.what();
    }
  });
  run_times(a, runs);
  other.join();
  if (!error.empty()) throw Failure(error);
  return watch.ms();
}

}  // namespace

void measure_parallel(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 1) throw Failure("this mode takes one --model");
  const uint64_t runs = std::max<uint64_t>(arguments.least_runs, 1);
  std::vector<Runner> runners;
  for (int i = 0; i < 2; i++) {
    runners.emplace_back(start.library, make_session(start.library, start.env, arguments.models[0],
                                                     make_options(start.library, arguments)));
    runners.back().prepare(arguments.inputs);
    runners.back().run();
  }
  std::vector<double> one_after_other, at_once;
  for (int round = 0; round < kRounds; round++) {
    one_after_other.push_back(run_times(runners[0], runs) + run_times(runners[1], runs));
    at_once.push_back(both_at_once(runners[0], runners[1], runs));
  }
  result.add("sequential_ms", *std::min_element(one_after_other.begin(), one_after_other.end()));
  result.add("concurrent_ms", *std::min_element(at_once.begin(), at_once.end()));
}

}  // namespace bench
