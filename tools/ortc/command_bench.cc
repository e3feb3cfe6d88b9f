// SPDX-License-Identifier: MIT
// ortc bench: what a model costs from nothing to its first result, and then per run. Loading is
// measured once, so that it is what a fresh process sees; compare models in processes of their own.

#include <algorithm>
#include <cstdio>

#include "tools/ortc/api.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/inputs.h"
#include "tools/ortc/json.h"
#include "tools/ortc/process_facts.h"
#include "tools/ortc/run.h"
#include "tools/ortc/table.h"

namespace ortc::tool {
namespace {

constexpr size_t kMaxSamples = 1'000'000;

std::vector<int64_t> timed_runs(OrtSession* session, const std::vector<Input>& inputs,
                                const std::vector<Port>& outputs, const BenchArguments& arguments) {
  std::vector<int64_t> samples;
  for (uint64_t i = 0; i < arguments.warmup; i++) run_once(session, inputs, outputs);
  const Stopwatch all;
  const auto limit_ns = static_cast<int64_t>(arguments.duration_s * 1e9);
  const auto is_done = [&] {
    if (arguments.iterations > 0) return samples.size() >= arguments.iterations;
    return !samples.empty() && (all.elapsed_ns() >= limit_ns || samples.size() >= kMaxSamples);
  };
  while (!is_done()) {
    const Stopwatch one;
    const auto values = run_once(session, inputs, outputs);
    samples.push_back(one.elapsed_ns());
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Nearest rank: the smallest sample that at least `percent` of all do not exceed.
int64_t percentile(const std::vector<int64_t>& sorted, size_t percent) {
  const size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

Json latency_json(const std::vector<int64_t>& sorted) {
  double sum = 0;
  for (int64_t sample : sorted) sum += static_cast<double>(sample);
  return Json::object()
      .set("iterations", uint64_t{sorted.size()})
      .set("min_ns", sorted.front())
      .set("median_ns", percentile(sorted, 50))
      .set("p90_ns", percentile(sorted, 90))
      .set("p99_ns", percentile(sorted, 99))
      .set("max_ns", sorted.back())
      .set("mean_ns", sum / static_cast<double>(sorted.size()));
}

Json private_json(const MemoryFacts& facts) {
  return facts.is_known ? Json(facts.private_bytes) : Json();
}

Json process_json() {
  const ProcessFacts facts = process_facts();
  const MemoryFacts memory = memory_facts();
  return Json::object()
      .set("resident_bytes", memory.is_known ? Json(memory.resident_bytes) : Json())
      .set("peak_resident_bytes", facts.peak_resident_bytes)
      .set("cpu_time_ns", facts.cpu_time_ns)
      .set("processors", uint64_t{facts.processors})
      .set("processor", facts.processor_name);
}

void print_text(const Json& result) {
  const auto time = [&](const char* key) { return time_text(result.number(key)); };
  std::printf("load          %s\n", time("load_ns").c_str());
  std::printf("first run     %s\n", time("first_run_ns").c_str());
  std::printf("first result  %s after the start\n", time("first_result_ns").c_str());
  const Json latency = result.at("latency");
  std::printf(
      "latency       median %s, p90 %s, p99 %s, min %s (%s)\n",
      time_text(latency.number("median_ns")).c_str(), time_text(latency.number("p90_ns")).c_str(),
      time_text(latency.number("p99_ns")).c_str(), time_text(latency.number("min_ns")).c_str(),
      count_text(latency.count("iterations"), "run").c_str());
  const Json memory = result.at("private_memory");
  if (memory.at("after_load_bytes").is_null()) {
    std::printf("private       not known on this system\n");
  } else {
    std::printf("private       %s before, %s after load, %s after the first run\n",
                size_text(memory.count("before_bytes")).c_str(),
                size_text(memory.count("after_load_bytes")).c_str(),
                size_text(memory.count("after_first_run_bytes")).c_str());
  }
  std::printf("process:\n%s", json_text(result.at("process"), 2).c_str());
}

}  // namespace

int command_bench(const BenchArguments& arguments) {
  const MemoryFacts before = memory_facts();
  Stopwatch watch;
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  const int64_t start_ns = watch.elapsed_ns();
  watch = Stopwatch();
  const auto session =
      make<Session>(OrtCreateSession, env.get(), arguments.model.c_str(), options.get());
  const int64_t load_ns = watch.elapsed_ns();
  const MemoryFacts after_load = memory_facts();

  const auto inputs = make_inputs(session.get(), arguments.inputs, WhenMissing::kRandom);
  const std::vector<Port> outputs = session_outputs(session.get());
  watch = Stopwatch();
  auto values = run_once(session.get(), inputs, outputs);
  const int64_t first_run_ns = watch.elapsed_ns();
  const MemoryFacts after_first_run = memory_facts();
  values.clear();

  const auto samples = timed_runs(session.get(), inputs, outputs, arguments);
  finish_profile(session.get(), arguments.session);
  const Json memory = Json::object()
                          .set("before_bytes", private_json(before))
                          .set("after_load_bytes", private_json(after_load))
                          .set("after_first_run_bytes", private_json(after_first_run));
  const Json result = Json::object()
                          .set("schema", "ortc.bench/1")
                          .set("model", arguments.model)
                          .set("start_ns", start_ns)
                          .set("load_ns", load_ns)
                          .set("first_run_ns", first_run_ns)
                          .set("first_result_ns", start_ns + load_ns + first_run_ns)
                          .set("latency", latency_json(samples))
                          .set("private_memory", memory)
                          .set("process", process_json())
                          .set("session", session_report(session.get()));
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    print_text(result);
  }
  return kExitOk;
}

}  // namespace ortc::tool
