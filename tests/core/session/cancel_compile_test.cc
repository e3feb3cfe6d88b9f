// SPDX-License-Identifier: MIT
// Compiles and loads that are stopped in the middle, by another thread or by a deadline, and what
// they tell on the way.
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>

#include "core/platform/clock.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMs = 1'000'000;

// Four products; `mb` megabytes of weights.
std::string heavy(int64_t mb) {
  const auto width = static_cast<int64_t>(std::sqrt(static_cast<double>(mb) * (1 << 20) / 16));
  GraphBuilder g;
  ValueId value = g.input("x", DType::kFloat32, {-1, width});
  for (int i = 0; i < 4; ++i) {
    std::vector<float> numbers(static_cast<size_t>(width * width));
    for (size_t k = 0; k < numbers.size(); ++k) {
      numbers[k] = static_cast<float>((k * 2654435761u + static_cast<size_t>(i)) % 1000) * 0.001f;
    }
    const auto w = g.floats(str_cat("w", i), {width, width}, std::move(numbers));
    value =
        g.node("Tanh", {g.node("MatMul", {value, w}, {str_cat("m", i)})[0]}, {str_cat("t", i)})[0];
  }
  g.output(value);
  g.infer();
  return g.model_bytes();
}

struct OutputFolder {
  explicit OutputFolder(const std::string& name) : path(str_cat(temp_dir(), "/", name)) {
    fs::create_directory(path);
  }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }
  std::string path;
};

CompileOptions compile_options(const Environment& environment, const std::string& source,
                               const OutputFolder& folder) {
  CompileOptions options = CompileOptions::from(options_with(environment, {"AOT"}));
  options.input = file_source(source);
  options.output_path = folder.path + "/m_ctx.onnx";
  options.external_initializers = "w.bin";
  return options;
}

const std::string& source_path() {
  static const std::string path = [] {
    const std::string made = str_cat(temp_dir(), "/heavy.onnx");
    write_whole_file(made, heavy(32));
    return made;
  }();
  return path;
}

// Of this process, of all its threads: what it does, however long others keep it waiting.
int64_t processor_ns() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000 * kMs + time.tv_nsec;
}

// How much may be done between two looks at what was asked. Sanitizers and emulators take their
// time.
int64_t patience() { return (is_sanitized() || is_emulated() ? 20 : 1) * 200 * kMs; }
constexpr int64_t kNeverMs = 20'000;

}  // namespace

TEST(cancel, at_any_moment_ends_a_compile_soon_and_leaves_nothing) {
  const auto environment = quiet_environment();
  const OutputFolder folder("moments");
  const CompileOptions options = compile_options(*environment, source_path(), folder);
  const int64_t begin = now_ns();
  CHECK_OK(compile_to_output(environment, options));
  int64_t whole = now_ns() - begin;
  CHECK_EQ(folder.count(), size_t{2});
  std::vector<int64_t> waits;
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    fs::remove_all(folder.path);
    fs::create_directory(folder.path);
    MakingLimits limits;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    limits.cancel = cancel;
    const int64_t moment = std::uniform_int_distribution<int64_t>(0, whole)(random);
    int64_t told_ns = 0, told_at = 0;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::nanoseconds(moment));
      told_at = now_ns();
      told_ns = processor_ns();
      cancel->store(true);
    });
    const int64_t started = now_ns();
    const auto report = compile_to_output(environment, options, limits);
    const int64_t end_ns = processor_ns(), end = now_ns();
    other.join();
    if (report.is_ok()) {
      CHECK_EQ(folder.count(), size_t{2});
      whole = std::min(whole, end - started);  // the first one may have found the machine busy
      continue;
    }
    CHECK_CODE(report, Code::kModelLoadCanceled);
    CHECK_EQ(folder.count(), size_t{0});
    waits.push_back(end_ns - told_ns);
    CHECK(end - told_at < kNeverMs * kMs);
  }
  std::sort(waits.begin(), waits.end());
  CHECK(waits.size() > 10);
  CHECK(waits[waits.size() * 3 / 4] < patience());
}

TEST(cancel, a_deadline_ends_a_compile_and_names_the_stage) {
  const auto environment = quiet_environment();
  const OutputFolder folder("deadline");
  const CompileOptions options = compile_options(*environment, source_path(), folder);
  MakingLimits limits;
  const int64_t begin = now_ns();
  limits.deadline_ns = begin + 10 * kMs;
  const auto report = compile_to_output(environment, options, limits);
  CHECK_CODE(report, Code::kModelLoadCanceled);
  CHECK(report.status().message().find("deadline") != std::string::npos);
  CHECK(report.status().message().find("stage '") != std::string::npos);
  CHECK(now_ns() - limits.deadline_ns < kNeverMs * kMs);
  CHECK_EQ(folder.count(), size_t{0});
}

// One tensor takes seconds at this level.
TEST(cancel, in_the_middle_of_compressing_one_tensor) {
  const std::string source = str_cat(temp_dir(), "/one.onnx");
  const auto environment = quiet_environment();
  GraphBuilder g;
  g.output(g.node(
      "MatMul", {g.input("x", DType::kFloat32, {-1, 2048}), g.random_floats("w", {2048, 2048}, 3)},
      {"y"})[0]);
  g.infer();
  write_whole_file(source, g.model_bytes());
  for (const bool is_initializer : {false, true}) {
    const OutputFolder folder(str_cat("compressing", is_initializer));
    CompileOptions options = compile_options(*environment, source, folder);
    CHECK_OK(options.session.set(
        is_initializer ? "ep.context_external_initializers_compression" : "ep.context_compression",
        "zstd:19"));
    if (is_initializer) options.session.providers.clear();
    // Told every 20 ms: what comes before the tensor is over by the tenth time.
    MakingLimits limits;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    limits.cancel = cancel;
    int64_t told_ns = 0;
    int count = 0;
    limits.progress = [&](std::string_view stage, std::string_view, double) {
      if (stage != (is_initializer ? "write" : "compile") || ++count != 10) return Status::ok();
      told_ns = processor_ns();
      cancel->store(true);
      return Status::ok();
    };
    const auto report = compile_to_output(environment, options, limits);
    CHECK_CODE(report, Code::kModelLoadCanceled);
    CHECK(told_ns != 0 && processor_ns() - told_ns < 5 * patience());
    CHECK_EQ(folder.count(), size_t{0});
  }
}

TEST(progress, is_a_fraction_that_never_falls_and_ends_at_one) {
  const auto environment = quiet_environment();
  const OutputFolder folder("progress");
  for (const bool embed : {false, true}) {
    CompileOptions options = compile_options(*environment, source_path(), folder);
    options.embed = embed;
    options.output_path = str_cat(folder.path, embed ? "/e.onnx" : "/m.onnx");
    std::vector<double> fractions;
    std::vector<std::string> stages;
    int64_t last = processor_ns();
    std::vector<int64_t> gaps;
    MakingLimits limits;
    limits.progress = [&](std::string_view stage, std::string_view, double fraction) {
      gaps.push_back(processor_ns() - last);
      last = processor_ns();
      fractions.push_back(fraction);
      if (stages.empty() || stages.back() != stage) stages.emplace_back(stage);
      // Told every 20 ms: a fast machine is through with a stage before that.
      std::this_thread::sleep_for(std::chrono::milliseconds(21));
      return Status::ok();
    };
    CHECK_OK(compile_to_output(environment, options, limits));
    CHECK(std::is_sorted(fractions.begin(), fractions.end()));
    CHECK_EQ(fractions.back(), 1.0);
    const std::vector<std::string> expected = {"load",    "optimise", "partition",
                                               "compile", "write",    "done"};
    CHECK(stages == expected);
    // More than the begins of stages, and no long silences.
    CHECK(fractions.size() > expected.size());
    std::sort(gaps.begin(), gaps.end());
    CHECK(gaps[gaps.size() * 3 / 4] < patience());
  }
}

TEST(progress, of_a_load_is_told_too_and_its_failure_comes_back) {
  const auto environment = quiet_environment();
  std::vector<double> fractions;
  MakingLimits limits;
  limits.progress = [&](std::string_view, std::string_view, double fraction) {
    fractions.push_back(fraction);
    return Status::ok();
  };
  CHECK_OK(Session::create(environment, file_source(source_path()),
                           options_with(*environment, {"AOT"}), limits));
  CHECK(fractions.size() > 4);
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  CHECK_EQ(fractions.back(), 1.0);
  for (size_t stop = 1; stop < 5; ++stop) {
    size_t calls = 0;
    limits.progress = [&](std::string_view, std::string_view, double) {
      return ++calls == stop ? make_status(Code::kEngineError, "enough") : Status::ok();
    };
    const auto session = Session::create(environment, file_source(source_path()),
                                         options_with(*environment, {"AOT"}), limits);
    CHECK_CODE(session, Code::kEngineError);
    CHECK_EQ(calls, stop);
  }
}
