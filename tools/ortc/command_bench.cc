// SPDX-License-Identifier: MIT
// ortc bench: what a model costs from nothing to its first result, and then per run. Loading is
// measured once, so that it is what a fresh process sees; compare models in processes of their own.

#include <algorithm>
#include <cstdio>
#include <optional>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/cold_start.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/latency_samples.h"
#include "tools/ortc/library/process_facts.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/library/session_memory.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {
namespace {

LatencySamples timed_runs(Runs& runs, const BenchArguments& arguments) {
  LatencySamples samples;
  for (uint64_t i = 0; i < arguments.warmup; i++) runs.run();
  const Stopwatch all;
  const auto limit_ns = static_cast<int64_t>(arguments.duration_s * 1e9);
  const auto is_done = [&] {
    if (arguments.iterations > 0) return samples.run_count() >= arguments.iterations;
    return samples.run_count() > 0 && all.elapsed_ns() >= limit_ns;
  };
  while (!is_done()) {
    const Stopwatch one;
    const auto values = runs.run();
    samples.add(one.elapsed_ns());
  }
  samples.finish();
  return samples;
}

Json latency_json(const LatencySamples& samples) {
  return Json::object()
      .set("iterations", samples.run_count())
      .set("samples", samples.kept_count())
      .set("min_ns", samples.min_ns())
      .set("median_ns", samples.percentile(50))
      .set("p90_ns", samples.percentile(90))
      .set("p99_ns", samples.percentile(99))
      .set("max_ns", samples.max_ns())
      .set("mean_ns", samples.mean_ns());
}

Json private_json(const MemoryFacts& facts) {
  return facts.is_known ? Json(facts.private_bytes) : Json();
}

Json process_json() {
  const MemoryFacts memory = memory_facts();
  ProcessFacts facts = process_facts();
  // The system counts the peak now and then only, and may be behind.
  facts.peak_resident_bytes = std::max(facts.peak_resident_bytes, memory.resident_bytes);
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
  std::printf("throughput    %s runs/s, one after the other\n",
              number_text(result.number("runs_per_second")).c_str());
  const Json memory = result.at("private_memory");
  if (memory.at("after_load_bytes").is_null()) {
    std::printf("private       not known on this system\n");
  } else {
    std::printf("private       %s before, %s after load, %s after the first run\n",
                size_text(memory.count("before_bytes")).c_str(),
                size_text(memory.count("after_load_bytes")).c_str(),
                size_text(memory.count("after_first_run_bytes")).c_str());
  }
  std::fputs(memory_text(result.at("memory")).c_str(), stdout);
  if (result.has("cold")) std::fputs(cold_text(result.at("cold")).c_str(), stdout);
  std::printf("process:\n%s", json_text(result.at("process"), 2).c_str());
}

}  // namespace

int command_bench(const BenchArguments& arguments) {
  check_dimensions(arguments.model, arguments.session.dimensions);
  std::optional<ColdStart> cold;
  if (arguments.cold) cold.emplace(arguments.model);
  const MemoryFacts before = memory_facts();
  Stopwatch watch;
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  const int64_t start_ns = watch.elapsed_ns();
  const auto [session, load_ns] = load_session(env.get(), arguments.model, options.get());
  const MemoryFacts after_load = memory_facts();

  const auto inputs = make_inputs(session.get(), arguments.inputs, WhenMissing::kRandom);
  const std::vector<Port> outputs = session_outputs(session.get());
  Runs runs(session.get(), inputs, outputs);
  watch = Stopwatch();
  auto values = runs.run();
  const int64_t first_run_ns = watch.elapsed_ns();
  const MemoryFacts after_first_run = memory_facts();
  values.clear();

  const LatencySamples samples = timed_runs(runs, arguments);
  finish_profile(session.get(), arguments.session);
  const Json memory = Json::object()
                          .set("before_bytes", private_json(before))
                          .set("after_load_bytes", private_json(after_load))
                          .set("after_first_run_bytes", private_json(after_first_run));
  Json result = Json::object()
                    .set("schema", "ortc.bench/1")
                    .set("model", arguments.model)
                    .set("start_ns", start_ns)
                    .set("load_ns", load_ns)
                    .set("first_run_ns", first_run_ns)
                    .set("first_result_ns", start_ns + load_ns + first_run_ns)
                    .set("latency", latency_json(samples))
                    .set("runs_per_second", 1e9 / samples.mean_ns())
                    .set("private_memory", memory)
                    .set("process", process_json())
                    .set("session", session_report(session.get()))
                    .set("memory", memory_report(session.get()));
  if (cold) {
    const int64_t cold_ns = start_ns + load_ns + first_run_ns;
    result.set("cold", cold->report(env.get(), options.get(), inputs, cold_ns));
  }
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    print_text(result);
  }
  return kExitOk;
}

}  // namespace ortc::tool
