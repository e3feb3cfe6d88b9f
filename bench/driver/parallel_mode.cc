// SPDX-License-Identifier: MIT
// Does one session slow the others? The same runs, first one session after the other, then all at
// once on a thread each; alternately, so that a slow moment of the machine meets both. And what
// memory they take together.
#include <algorithm>
#include <thread>

#include "bench/driver/memory.h"
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

double one_after_other(std::vector<Runner>& runners, uint64_t runs) {
  double sum = 0;
  for (Runner& runner : runners) sum += run_times(runner, runs);
  return sum;
}

double all_at_once(std::vector<Runner>& runners, uint64_t runs) {
  std::vector<std::string> errors(runners.size());
  const Stopwatch watch;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < runners.size(); i++) {
    threads.emplace_back([&, i] {
      try {
        run_times(runners[i], runs);
      } catch (const Failure& failure) {
        errors[i] = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) {
    if (!error.empty()) throw Failure(error);
  }
  return watch.ms();
}

}  // namespace

void measure_parallel(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 1) throw Failure("this mode takes one --model");
  const uint64_t runs = std::max<uint64_t>(arguments.least_runs, 1);
  std::vector<Runner> runners;
  if (arguments.sessions == 0) throw Failure("this mode takes --sessions 1 or more");
  for (uint64_t i = 0; i < arguments.sessions; i++) {
    runners.emplace_back(start.library, make_session(start.library, start.env, arguments.models[0],
                                                     make_options(start.library, arguments)));
    runners.back().prepare(arguments.inputs);
  }
  result.add("base_bytes", start.base_bytes);
  result.add("loaded_bytes", private_bytes());
  for (Runner& runner : runners) runner.run();
  std::vector<double> in_turn, at_once;
  for (int round = 0; round < kRounds; round++) {
    in_turn.push_back(one_after_other(runners, runs));
    at_once.push_back(all_at_once(runners, runs));
  }
  result.add("run_bytes", private_bytes());
  result.add("sequential_ms", *std::min_element(in_turn.begin(), in_turn.end()));
  result.add("concurrent_ms", *std::min_element(at_once.begin(), at_once.end()));
}

}  // namespace bench
