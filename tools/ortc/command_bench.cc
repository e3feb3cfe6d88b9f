// SPDX-License-Identifier: MIT
// ortc bench: what a model costs from nothing to its first result, then per run, then per layer.
// The first load is what a fresh process sees; compare models in processes of their own.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/cold_start.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/latency_samples.h"
#include "tools/ortc/library/layer_times.h"
#include "tools/ortc/library/process_facts.h"
#include "tools/ortc/library/profile.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/library/session_memory.h"
#include "tools/ortc/library/streams.h"
#include "tools/ortc/output/bench_texts.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/staged_file.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/output/targets.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {
namespace {

constexpr size_t kListedMax = 1'000'000;  // runs of --export-times

// Every load in this process: the first finds nothing, the others what it left to the system.
struct Loads {
  Session session;
  std::vector<int64_t> times_ns;
  MemoryFacts memory;  // after the first
};

Loads load_often(const OrtEnv* env, const BenchArguments& arguments, OrtSessionOptions* options) {
  Loads loads;
  for (uint64_t i = 0; i < arguments.loads; i++) {
    loads.session.reset();
    auto [session, load_ns] = load_session(env, arguments.model, options);
    loads.session = std::move(session);
    loads.times_ns.push_back(load_ns);
    if (i == 0) loads.memory = memory_facts();
  }
  return loads;
}

struct FirstAndFurtherRuns {
  int64_t first_ns = 0;
  MemoryFacts memory;  // after the first
  StreamTimes further;
};

FirstAndFurtherRuns run_often(OrtSession* session, const std::vector<Input>& inputs,
                              const BenchArguments& arguments) {
  const std::vector<Port> outputs = session_outputs(session);
  const Runs runs(session, inputs, outputs);
  FirstAndFurtherRuns result;
  {
    const Stopwatch watch;
    const auto values = runs.run();
    result.first_ns = watch.elapsed_ns();
    result.memory = memory_facts();
  }
  StreamPlan plan;
  plan.streams = arguments.streams;
  plan.iterations = arguments.iterations;
  plan.duration_s = arguments.duration_s;
  plan.warmup = arguments.warmup;
  plan.listed_max = arguments.export_times.empty() ? 0 : kListedMax;
  result.further = timed_runs(runs, plan);
  return result;
}

Json latency_json(const LatencySamples& samples) {
  return Json::object()
      .set("iterations", samples.run_count())
      .set("samples", samples.kept_count())
      .set("min_ns", samples.min_ns())
      .set("median_ns", samples.percentile(50))
      .set("p90_ns", samples.percentile(90))
      .set("p95_ns", samples.percentile(95))
      .set("p99_ns", samples.percentile(99))
      .set("max_ns", samples.max_ns())
      .set("mean_ns", samples.mean_ns())
      .set("standard_deviation_ns", samples.standard_deviation_ns());
}

Json loads_json(const std::vector<int64_t>& times_ns) {
  LatencySamples later;
  for (size_t i = 1; i < times_ns.size(); i++) later.add(times_ns[i]);
  later.finish();
  Json result = Json::object().set("count", uint64_t{times_ns.size()});
  result.set("first_ns", times_ns.front());
  if (later.run_count() > 0) result.set("later", latency_json(later));
  return result;
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

void print_loads(const Json& loads) {
  if (!loads.has("later")) return;
  const Json later = loads.at("later");
  std::printf("later loads   p50 %s, min %s, max %s (%s)\n",
              time_text(later.number("median_ns")).c_str(),
              time_text(later.number("min_ns")).c_str(), time_text(later.number("max_ns")).c_str(),
              count_text(later.count("iterations"), "load").c_str());
}

void print_runs(const Json& result) {
  const Json latency = result.at("latency");
  const auto time = [&](const char* key) { return time_text(latency.number(key)); };
  std::printf("latency       p50 %s, p90 %s, p95 %s, p99 %s (%s)\n", time("median_ns").c_str(),
              time("p90_ns").c_str(), time("p95_ns").c_str(), time("p99_ns").c_str(),
              count_text(latency.count("iterations"), "run").c_str());
  std::printf("              mean %s, standard deviation %s, min %s, max %s\n",
              time("mean_ns").c_str(), time("standard_deviation_ns").c_str(),
              time("min_ns").c_str(), time("max_ns").c_str());
  const uint64_t streams = result.count("streams");
  const std::string how =
      streams == 1 ? "one after the other" : "in " + count_text(streams, "stream");
  std::printf("throughput    %s runs/s, %s\n",
              number_text(result.number("runs_per_second")).c_str(), how.c_str());
}

void print_memory(const Json& memory) {
  if (memory.at("after_load_bytes").is_null()) {
    std::printf("private       not known on this system\n");
    return;
  }
  std::printf("private       %s before, %s after load, %s after the first run\n",
              size_text(memory.count("before_bytes")).c_str(),
              size_text(memory.count("after_load_bytes")).c_str(),
              size_text(memory.count("after_first_run_bytes")).c_str());
}

void print_bench(const Json& result) {
  const auto time = [&](const char* key) { return time_text(result.number(key)); };
  std::printf("load          %s\n", time("load_ns").c_str());
  print_loads(result.at("loads"));
  std::printf("first run     %s\n", time("first_run_ns").c_str());
  std::printf("first result  %s after the start\n", time("first_result_ns").c_str());
  print_runs(result);
  print_memory(result.at("private_memory"));
  std::fputs(memory_text(result.at("memory")).c_str(), stdout);
  if (result.has("cold")) std::fputs(cold_text(result.at("cold")).c_str(), stdout);
  std::printf("process:\n%s", json_text(result.at("process"), 2).c_str());
}

// Files that the arguments ask for, made before the work: a folder that is not there shows at once.
struct Exports {
  std::unique_ptr<StagedFile> csv, times;

  explicit Exports(const BenchArguments& arguments) {
    if (!arguments.csv.empty()) csv = std::make_unique<StagedFile>(arguments.csv);
    if (!arguments.export_times.empty()) {
      times = std::make_unique<StagedFile>(arguments.export_times);
    }
  }

  static void finish(StagedFile* file, const std::string& text) {
    file->write(text);
    file->finish();
  }
};

}  // namespace

int command_bench(const BenchArguments& given) {
  BenchArguments arguments = given;
  check_dimensions(arguments.model, arguments.session.dimensions);
  const std::vector<Target> targets = {{"--csv", arguments.csv},
                                       {"--export-times", arguments.export_times},
                                       {"--profile", arguments.session.profile}};
  check_targets(targets, read_with(arguments.model, targets));
  const Exports exports(arguments);
  const ProfileFile profile(arguments.session);
  std::optional<ColdStart> cold;
  if (arguments.cold) cold.emplace(arguments.model);
  const MemoryFacts before = memory_facts();
  const Stopwatch start;
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  const int64_t start_ns = start.elapsed_ns();
  Loads loads = load_often(env.get(), arguments, options.get());
  OrtSession* const session = loads.session.get();
  const auto inputs = make_inputs(session, arguments.inputs, WhenMissing::kRandom);
  const FirstAndFurtherRuns timed = run_often(session, inputs, arguments);
  profile.finish(session);

  const int64_t load_ns = loads.times_ns.front();
  Json result =
      Json::object()
          .set("schema", "ortc.bench/1")
          .set("model", arguments.model)
          .set("start_ns", start_ns)
          .set("load_ns", load_ns)
          .set("loads", loads_json(loads.times_ns))
          .set("first_run_ns", timed.first_ns)
          .set("first_result_ns", start_ns + load_ns + timed.first_ns)
          .set("latency", latency_json(timed.further.samples))
          .set("streams", arguments.streams)
          .set("runs_per_second", timed.further.runs_per_second())
          .set("private_memory", Json::object()
                                     .set("before_bytes", private_json(before))
                                     .set("after_load_bytes", private_json(loads.memory))
                                     .set("after_first_run_bytes", private_json(timed.memory)))
          .set("process", process_json())
          .set("session", session_report(session))
          .set("memory", memory_report(session));
  if (cold) {
    loads.session.reset();
    const int64_t cold_ns = start_ns + load_ns + timed.first_ns;
    result.set("cold", cold->report(env.get(), options.get(), inputs, cold_ns));
  }
  if (exports.times) {
    Exports::finish(exports.times.get(), run_times_json(arguments.model, timed.further));
  }
  std::string layers;
  if (arguments.layers.has_value() || exports.csv) {
    loads.session.reset();
    const LayerTimes sum = layer_times(env.get(), arguments.model, arguments.session, inputs);
    result.set("layers", layers_json(sum));
    layers = "\n" + layers_text(sum, arguments.layers.value_or(0));
    if (exports.csv) Exports::finish(exports.csv.get(), layers_csv(sum));
  }
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
    return kExitOk;
  }
  print_bench(result);
  if (arguments.layers.has_value()) std::fputs(layers.c_str(), stdout);
  return kExitOk;
}

}  // namespace ortc::tool
