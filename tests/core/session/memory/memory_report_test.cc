// SPDX-License-Identifier: MIT
// The memory report beside the system's own account, in ten arrangements (and with adapters in
// lora_runs_test). Each runs in a child, so
// that the memory before it is the same; the files are made once.
#include "core/session/memory/memory_report.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/graph/export.h"
#include "core/platform/path.h"
#include "tests/support/processes.h"
#include "tests/support/session_support.h"
#include "tests/support/smaps.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kChainWidth = 1024;
constexpr int kLayers = 6;
constexpr uint64_t kWeights = uint64_t{kLayers} * kChainWidth * kChainWidth * 4;  // 24 MB
constexpr double kMost = 0.05;
constexpr uint64_t kBooks = 1 << 20;  // what a session is allowed besides

std::vector<float> numbers(size_t count, unsigned seed) {
  std::vector<float> values(count);
  uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = (static_cast<float>(state >> 8) / 16777216.0f - 0.5f) / 16.0f;
  }
  return values;
}

// A chain of products, with what adapters may add to the first.
std::string chain_model(unsigned seed, bool has_tail = false) {
  GraphBuilder g;
  ValueId last = g.input("x", DType::kFloat32, {2, kChainWidth});
  for (int i = 0; i < kLayers; ++i) {
    const ValueId weight = g.floats(
        str_cat("w", i), {kChainWidth, kChainWidth},
        numbers(static_cast<size_t>(kChainWidth) * kChainWidth, seed + static_cast<unsigned>(i)));
    last = g.node("MatMul", {last, weight}, {str_cat("h", i)})[0];
  }
  if (has_tail) last = g.node("Tanh", {last}, {"tail"})[0];
  g.output(last);
  g.infer();
  return g.model_bytes();
}

// In a child, which leaves nothing in the memory of this process.
template <typename Work>
void run_in_child(const Work& work) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

struct Files {
  std::string folder = fs::canonical(temp_dir()).string() + "/models";
  std::string path(const std::string& name) const { return folder + "/" + name; }
};

const Files& files() {
  static const Files made = [] {
    const Files f;
    run_in_child([&f] {
      fs::create_directories(f.folder);
      write_whole_file(f.path("m.onnx"), chain_model(1));
      compile_to(f.path("m.onnx"), f.path("m_ctx.onnx"));
      compile_to(f.path("m.onnx"), f.path("e_ctx.onnx"), /*embed=*/true);
    });
    return f;
  }();
  return made;
}

struct Setting {
  std::shared_ptr<const Environment> environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  explicit Setting(const char* residency = "lazy") {
    CHECK_OK(options.set("session.context_residency", residency));
  }
  std::unique_ptr<Session> make(const std::string& name) const {
    auto session = Session::create(environment, file_source(files().path(name)), options);
    CHECK_OK(session);
    return std::move(session).value();
  }
};

void run_once(const Session& session) {
  Tensor x = Tensor::create(DType::kFloat32, {2, kChainWidth}).value();
  for (float& value : x.mutable_elements<float>()) value = 0.5f;
  CHECK_EQ(run_all(session, {x}).size(), 1u);
}

MemoryReport report_of(const Session& session) {
  auto report = session.memory_report();
  CHECK_OK(report);
  return std::move(report).value();
}

void check_close(const char* what, uint64_t ours, uint64_t theirs, uint64_t slack = 0) {
  const double difference = std::abs(static_cast<double>(ours) - static_cast<double>(theirs));
  if (difference <= kMost * static_cast<double>(theirs) + static_cast<double>(slack)) return;
  check_failed(__FILE__, __LINE__,
               str_cat(what, ": ours ", ours, ", the system's ", theirs, " bytes"));
}

// What reports say of files that are mapped, beside what the system says of the folder.
void check_files(const MemoryReport& report) {
  const Smaps system = smaps_of_folder(files().folder);
  uint64_t resident = 0;
  for (const MemoryReport::File& file : report.files) {
    if (file.mapped != 0) resident += file.resident;
  }
  check_close("mapped", report.mapped, system.size);
  check_close("resident of files", resident, system.resident);
  check_close("shared with processes", report.shared_with_processes, system.shared);
}

// What a session has of its own, beside how much the process has grown by it.
void check_own(const MemoryReport& report, uint64_t anonymous_before, uint64_t more = 0) {
  if (kHasShadowMemory) return;
  const uint64_t grown = smaps_of_process().anonymous - anonymous_before;
  check_close("own memory", report.private_bytes + report.arena + more, grown, kBooks);
}

template <typename Work>
void in_child(const Work& work) {
  if (is_emulated()) return;
  files();
  run_in_child(work);
}

uint64_t anonymous_now() { return smaps_of_process().anonymous; }

}  // namespace

TEST(memory_report, of_one_session) {
  in_child([] {
    const Setting setting;
    const uint64_t before = anonymous_now();
    const auto session = setting.make("m_ctx.onnx");
    const MemoryReport fresh = report_of(*session);
    check_files(fresh);
    CHECK(fresh.resident < kWeights / 2);  // nothing was read but the metadata
    run_once(*session);
    const MemoryReport report = report_of(*session);
    check_files(report);
    check_own(report, before);
    CHECK_EQ(report.files.size(), 1u);
    CHECK_EQ(report.files[0].sessions, 1u);
    CHECK_EQ(report.shared_with_sessions, 0u);
    CHECK(report.weights >= kWeights && report.files[0].used >= kWeights);
    CHECK(report.resident >= kWeights && report.private_bytes < kBooks);
  });
}

TEST(memory_report, of_a_pair) {
  in_child([] {
    const Setting setting;
    const uint64_t before = anonymous_now();
    const auto first = setting.make("m_ctx.onnx");
    run_once(*first);
    CHECK_EQ(report_of(*first).shared_with_sessions, 0u);
    {
      const auto second = setting.make("m_ctx.onnx");
      run_once(*second);
      for (const Session* session : {first.get(), second.get()}) {
        const MemoryReport report = report_of(*session);
        check_files(report);  // mapped once, counted by both
        CHECK_EQ(report.files[0].sessions, 2u);
        check_close("shared with sessions", report.shared_with_sessions, report.files[0].used);
      }
      const MemoryReport one = report_of(*first), other = report_of(*second);
      check_own(one, before, other.private_bytes + other.arena);
    }
    const MemoryReport report = report_of(*first);
    CHECK(report.files[0].sessions == 1 && report.shared_with_sessions == 0);
  });
}

// Two models compiled into one binary: each counts the weights that both have.
TEST(memory_report, of_a_group_that_shares_one_binary) {
  in_child([] {
    const Setting setting;
    for (const std::string name : {"g0", "g1"}) {
      write_whole_file(files().path(name + ".onnx"), chain_model(1, /*has_tail=*/name == "g1"));
      CompileOptions compile = CompileOptions::from(setting.options);
      CHECK_OK(compile.session.set("ep.share_ep_contexts", "1"));
      CHECK_OK(compile.session.set("ep.stop_share_ep_contexts", name == "g1" ? "1" : "0"));
      compile.input = file_source(files().path(name + ".onnx"));
      compile.output_path = files().path(name + "_ctx.onnx");
      CHECK_OK(compile_to_output(setting.environment, compile));
    }
    CHECK(!path_exists(files().path("g1_aot.bin")));
  });
  in_child([] {
    const Setting setting;
    const uint64_t before = anonymous_now();
    const auto first = setting.make("g0_ctx.onnx"), second = setting.make("g1_ctx.onnx");
    run_once(*first);
    run_once(*second);
    const MemoryReport one = report_of(*first), other = report_of(*second);
    for (const MemoryReport* report : {&one, &other}) {
      check_files(*report);
      CHECK_EQ(report->files.size(), 1u);
      CHECK(report->files[0].path.ends_with("g0_aot.bin") && report->files[0].sessions == 2);
      check_close("shared with sessions", report->shared_with_sessions, kWeights);
    }
    check_own(one, before, other.private_bytes + other.arena);
  });
}

namespace {

// A table of a file that two models look into; one adds a product of its own.
std::string table_model(bool has_product) {
  GraphBuilder g;
  const ValueId index = g.input("x", DType::kInt64, {2});
  const ValueId table =
      g.floats("table", {kChainWidth * kLayers, kChainWidth},
               numbers(static_cast<size_t>(kChainWidth) * kLayers * kChainWidth, 9));
  ValueId last = g.node("Gather", {table, index}, {"rows"})[0];
  if (has_product) {
    const ValueId weight = g.floats("w", {kChainWidth, 512}, numbers(size_t{kChainWidth} * 512, 5));
    last = g.node("MatMul", {last, weight}, {"y"})[0];
  }
  g.output(last);
  g.infer();
  Model model;
  model.graph = g.shared();
  model.opsets = model.graph->opsets();
  ExportOptions options;
  options.place_initializer = [](const Graph&, const Value& value) {
    std::optional<ExternalLocation> place;
    if (value.name == "table") place = ExternalLocation{"table.bin", 0, kWeights};
    return Result<std::optional<ExternalLocation>>(place);
  };
  std::string bytes;
  CHECK_OK(export_model(model, options, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  const Tensor& rows = model.graph->find_value("table")->initializer->tensor;
  write_whole_file(files().path("table.bin"), std::string(as_text(rows.bytes())));
  return bytes;
}

}  // namespace

TEST(memory_report, of_a_group_of_models_over_one_file) {
  in_child([] {
    write_whole_file(files().path("a.onnx"), table_model(false));
    write_whole_file(files().path("b.onnx"), table_model(true));
    CHECK(fs::file_size(files().path("a.onnx")) < 100'000);
  });
  in_child([] {
    Setting setting("populate");
    const uint64_t before = anonymous_now();
    const auto first = setting.make("a.onnx"), second = setting.make("b.onnx");
    const MemoryReport one = report_of(*first), other = report_of(*second);
    CHECK_EQ(one.files.size(), 1u);
    CHECK_EQ(one.files[0].sessions, 2u);
    check_close("mapped", one.mapped, smaps_of_folder(files().folder).size,
                fs::file_size(files().path("b.onnx")) + 4096);
    check_close("shared with sessions", one.shared_with_sessions, kWeights);
    check_close("shared with sessions", other.shared_with_sessions, kWeights);
    check_own(one, before, other.private_bytes + other.arena);
  });
}

TEST(memory_report, of_four_processes) {
  in_child([] {
    constexpr int kProcesses = 4;
    Pipe ready[kProcesses], go[kProcesses];
    pid_t children[kProcesses];
    uint64_t* sums = static_cast<uint64_t*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    for (int i = 0; i < kProcesses; ++i) {
      children[i] = fork();
      if (children[i] != 0) continue;
      const Setting setting;
      const uint64_t before = smaps_of_process().proportional;
      const auto session = setting.make("m_ctx.onnx");
      run_once(*session);
      ready[i].send('r');
      go[i].receive();
      const MemoryReport report = report_of(*session);
      check_files(report);
      CHECK(report.shared_with_processes >= kWeights);
      sums[i] = smaps_of_process().proportional - before;
      ready[i].send('d');
      go[i].receive();
      _exit(0);
    }
    for (const char letter : {'r', 'd'}) {
      for (const Pipe& pipe : ready) CHECK_EQ(pipe.receive(), letter);
      for (const Pipe& pipe : go) pipe.send('g');
    }
    for (const pid_t child : children) {
      int status = 0;
      CHECK_EQ(waitpid(child, &status, 0), child);
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    uint64_t sum = 0;
    for (int i = 0; i < kProcesses; ++i) sum += sums[i];
    std::fprintf(stderr, "four processes grew by %.1f MB for %.1f MB of weights\n",
                 static_cast<double>(sum) * 1e-6, static_cast<double>(kWeights) * 1e-6);
    CHECK(kHasShadowMemory || sum <= kWeights / 50 * 51 + kProcesses * uint64_t{5'000'000});
  });
}

TEST(memory_report, of_locked_weights) {
  in_child([] {
    const Setting setting("locked");
    const uint64_t before = anonymous_now();
    const auto session = Session::create(setting.environment,
                                         file_source(files().path("m_ctx.onnx")), setting.options);
    if (!session.is_ok()) {  // a user who may not lock as much
      CHECK(session.status().message().find("RLIMIT_MEMLOCK") != std::string::npos);
      return;
    }
    const MemoryReport report = report_of(**session);
    check_files(report);
    check_own(report, before);
    if (!kIgnoresLocks) {
      check_close("locked", (*session)->memory().locked_bytes(),
                  smaps_of_folder(files().folder).locked, 4096);
    }
    CHECK(kIgnoresLocks || report.resident >= kWeights);
  });
}

TEST(memory_report, of_copied_weights) {
  in_child([] {
    const Setting setting("copied");
    const uint64_t before = anonymous_now();
    const auto session = setting.make("m_ctx.onnx");
    run_once(*session);
    const MemoryReport report = report_of(*session);
    check_files(report);
    check_own(report, before);
    CHECK_EQ(report.mapped, 0u);
    CHECK_EQ(report.files.size(), 1u);
    CHECK(report.files[0].copied >= kWeights && report.private_bytes >= kWeights);
    const auto second = setting.make("m_ctx.onnx");
    const MemoryReport other = report_of(*second);
    CHECK_EQ(other.files[0].sessions, 2u);
    check_close("shared with sessions", other.shared_with_sessions, other.files[0].used);
    check_own(report, before, other.arena);  // there is one copy
  });
}

TEST(memory_report, of_an_embedded_context) {
  in_child([] {
    const Setting setting;
    const uint64_t before = anonymous_now();
    const auto session = setting.make("e_ctx.onnx"), second = setting.make("e_ctx.onnx");
    run_once(*session);
    run_once(*second);
    const MemoryReport report = report_of(*session), other = report_of(*second);
    check_files(report);
    check_own(report, before, other.private_bytes + other.arena);
    CHECK(report.files[0].path.ends_with("e_ctx.onnx") && report.files[0].sessions == 2);
    CHECK_EQ(report.shared_with_processes, 0u);
  });
}

TEST(memory_report, of_a_compressed_context) {
  in_child([] {
    const Setting setting;
    CompileOptions compile = CompileOptions::from(setting.options);
    CHECK_OK(compile.session.set("ep.context_compression", "zstd:1"));
    compile.input = file_source(files().path("m.onnx"));
    compile.output_path = files().path("z_ctx.onnx");
    CHECK_OK(compile_to_output(setting.environment, compile));
  });
  in_child([] {
    const Setting setting;
    const uint64_t before = anonymous_now();
    const auto session = setting.make("z_ctx.onnx");
    run_once(*session);
    const MemoryReport report = report_of(*session);
    check_own(report, before);
    check_close("decoded weights", report.private_bytes, kWeights, kBooks);
  });
}

TEST(memory_report, after_the_file_was_replaced) {
  in_child([] {
    const std::string folder = files().folder + "/replaced";
    fs::create_directories(folder);
    write_whole_file(folder + "/n.onnx", chain_model(77));
    compile_to(folder + "/n.onnx", folder + "/n_ctx.onnx");
    const Setting setting;
    const auto old = setting.make("replaced/n_ctx.onnx");
    run_once(*old);
    write_whole_file(folder + "/n.onnx", chain_model(78));
    compile_to(folder + "/n.onnx", folder + "/n_ctx.onnx");
    const auto fresh = setting.make("replaced/n_ctx.onnx");
    run_once(*fresh);
    run_once(*old);
    const MemoryReport first = report_of(*old), second = report_of(*fresh);
    const Smaps system = smaps_of_folder(files().folder);
    check_close("mapped", first.mapped + second.mapped, system.size);
    check_close("resident", first.files[0].resident + second.files[0].resident, system.resident);
    for (const MemoryReport* report : {&first, &second}) {
      CHECK_EQ(report->files[0].sessions, 1u);
      CHECK_EQ(report->shared_with_sessions, 0u);
    }
  });
}
