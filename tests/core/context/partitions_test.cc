// SPDX-License-Identifier: MIT
// Context models of several parts: EPContext nodes between CPU nodes and inside sub-graphs, their
// initializers, targets.
#include <filesystem>

#include "core/context/binary_reader.h"
#include "core/context/context_source.h"
#include "core/graph/export.h"
#include "core/platform/path.h"
#include "core/platform/target_list.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// MatMul -> Softsign -> MatMul, with an Add of a large constant beside Softsign.
std::string three_parts() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 40});
  auto h = g.node("MatMul", {x, g.random_floats("w1", {40, 40}, 1, 0.3f)}, {"h"})[0];
  h = g.node("Softsign", {h}, {"s"})[0];
  h = g.node("PRelu", {h, g.random_floats("slope", {40}, 3)}, {"p"})[0];
  g.output(g.node("MatMul", {h, g.random_floats("w2", {40, 40}, 2, 0.3f)}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

SessionOptions with_options(const Environment& environment, KeyValues options, int threads = 1) {
  SessionOptions session = options_with(environment, {"AOT"}, threads);
  session.providers[0].options = std::move(options);
  return session;
}

const KeyValues kSplit = {{"excluded_operators", "Softsign,PRelu"}};

struct Compiled {
  std::string source, context;
  CompileReport report;
};

Compiled compile_parts(const std::string& name, const std::string& bytes, bool embed,
                       KeyValues config = {}, KeyValues options = kSplit) {
  Compiled compiled;
  compiled.source = temp_dir() + "/" + name + ".onnx";
  compiled.context = temp_dir() + "/" + name + "_ctx.onnx";
  write_whole_file(compiled.source, bytes);
  const auto environment = quiet_environment();
  CompileOptions compile = CompileOptions::from(with_options(*environment, std::move(options)));
  for (auto& [key, value] : config) CHECK_OK(compile.session.set(key, value));
  compile.input = file_source(compiled.source);
  compile.output_path = compiled.context;
  compile.embed = embed;
  auto report = compile_to_output(environment, compile);
  CHECK_OK(report);
  compiled.report = std::move(report).value();
  return compiled;
}

std::vector<Tensor> run_file(const std::string& path, const std::vector<Tensor>& inputs,
                             KeyValues options = {}) {
  const auto environment = quiet_environment();
  SessionOptions session_options = with_options(*environment, std::move(options), 2);
  session_options.level = OptimisationLevel::kNone;
  const auto session = Session::create(environment, file_source(path), session_options);
  CHECK_OK(session);
  return run_all(*session.value(), inputs);
}

// A target may be more than this machine has.
bool runs_here(std::string_view target) {
  for (const TargetRow& row : target_rows()) {
    if (!row.is_feature && row.name == target) return row.is_here();
  }
  return false;
}

// Of this architecture: kernels of lesser levels stand in.
bool is_kin(std::string_view target) {
  for (const TargetRow& row : target_rows()) {
    if (!row.is_feature && row.name == target) return row.architecture == host_architecture();
  }
  return false;
}

// The model no longer says what it was compiled for: only its binary does.
void hide_compatibility(const std::string& path) {
  std::string bytes = read_whole_file(path);
  const size_t at = bytes.find("ep_compatibility_info.");
  CHECK(at != std::string::npos);
  bytes[at] = 'x';
  write_whole_file(path, bytes);
}

// Of small_network(), compiled as `name`.
Compiled compile_for(const std::string& name, const std::string& target, bool embed = false) {
  return compile_parts(name, small_network(), embed, {}, {{"target", target}});
}

Status load_status(const std::string& path) {
  const auto environment = quiet_environment();
  return Session::create(environment, file_source(path), options_with(*environment, {"AOT"}))
      .status();
}

#if defined(__aarch64__)
constexpr char kForeign[] = "x86-64-v3";
#else
constexpr char kForeign[] = "aarch64";
#endif

Tensor three_rows() { return Tensor::from<float>({3, 40}, random_numbers(120, 5)); }

}  // namespace

TEST(partitions, several_parts_load_from_external_and_embedded_contexts) {
  for (const bool embed : {false, true}) {
    const Compiled parts = compile_parts(embed ? "embedded" : "external", three_parts(), embed);
    CHECK_EQ(parts.report.partitions.size(), 2u);
    CHECK_EQ(parts.report.assignments.size(), 2u);
    CHECK(parts.report.assignments[0].reason.find("excluded_operators") != std::string::npos);
    const auto model = import_model_file(parts.context, ImportOptions{}).value();
    const auto nodes = ep_context_nodes(*model->graph);
    CHECK_EQ(nodes.size(), 2u);
    int mains = 0;
    for (const Node* node : nodes)
      mains += static_cast<int>(node->int_attribute("main_context", 1));
    CHECK_EQ(mains, 1);
    const auto expected = run_file(parts.source, {three_rows()}, kSplit);
    CHECK(same_bits(run_file(parts.context, {three_rows()}), expected));
    CHECK(all_near(run_file(parts.source, {three_rows()}), expected, 1e-5, 1e-6));
  }
}

TEST(partitions, initializers_of_cpu_nodes_are_inside_or_in_the_file_that_is_named) {
  const Compiled inside = compile_parts("inside", three_parts(), false);
  const Compiled outside =
      compile_parts("outside", three_parts(), false,
                    {{"ep.context_model_external_initializers_file_name", "outside.bin"}});
  CHECK(path_exists(temp_dir() + "/outside.bin"));
  for (const Compiled& compiled : {inside, outside}) {
    const auto model = import_model_file(compiled.context, ImportOptions{}).value();
    const Value* slope = model->graph->find_value("slope");
    CHECK(slope != nullptr && slope->initializer != nullptr);
    CHECK_EQ(slope->initializer->external != nullptr, compiled.context == outside.context);
    CHECK(model->graph->find_value("w1") == nullptr);
    CHECK(same_bits(run_file(compiled.context, {three_rows()}),
                    run_file(compiled.source, {three_rows()}, kSplit)));
  }
}

// The weights in the external file are part of what the generation names.
TEST(partitions, another_external_weight_is_another_generation) {
  std::string generations[2];
  for (unsigned i = 0; i < 2; ++i) {
    GraphBuilder g;
    auto h = g.node("MatMul",
                    {g.input("x", DType::kFloat32, {-1, 40}), g.random_floats("w", {40, 40}, 1)},
                    {"h"})[0];
    g.output(g.node("PRelu", {h, g.random_floats("slope", {40}, 3 + i)}, {"y"})[0]);
    g.infer();
    const Compiled parts =
        compile_parts(str_cat("generation", i), g.model_bytes(), true,
                      {{"ep.context_model_external_initializers_file_name", "same.bin"}});
    const auto model = import_model_file(parts.context, ImportOptions{}).value();
    generations[i] = ep_context_nodes(*model->graph)[0]->string_attribute(kGenerationAttribute, "");
    // The file of weights is free for the next one once no model reads it.
    std::filesystem::remove(parts.context);
  }
  CHECK(!generations[0].empty() && generations[0] != generations[1]);
}

TEST(partitions, an_absolute_external_initializers_file_is_refused) {
  const auto environment = quiet_environment();
  CompileOptions compile = CompileOptions::from(with_options(*environment, kSplit));
  compile.input = file_source(compile_parts("absolute", three_parts(), false).source);
  compile.output_path = temp_dir() + "/absolute2_ctx.onnx";
  compile.external_initializers = temp_dir() + "/w.bin";
  CHECK_CODE(compile_to_output(environment, compile), Code::kRuntimeException);
  CHECK(!path_exists(compile.output_path));
}

// An If of which one branch stays on the CPU: the other branch's part becomes an EPContext node
// inside it, and the outer initializer that only the branches read survives.
TEST(partitions, context_nodes_live_in_sub_graphs) {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("w", {4, 4}, 11);
  Attribute branches[2];
  for (int i = 0; i < 2; ++i) {
    GraphBuilder inner(17, &g.graph());
    const auto cx = inner.graph().capture(x).value(), cw = inner.graph().capture(w).value();
    const std::string p = i == 0 ? "t" : "e";
    auto h = inner.node("MatMul", {cx, cw}, {p + "1"})[0];
    h = inner.node(i == 0 ? "Softsign" : "Tanh", {h}, {p + "2"})[0];
    inner.output(inner.node("Add", {h, h}, {p + "3"})[0]);
    branches[i] = graph_attribute(i == 0 ? "then_branch" : "else_branch", inner.shared());
  }
  g.output(g.node("If", {c}, {"y"}, {branches[0], branches[1]})[0]);
  g.infer();
  const Compiled parts = compile_parts("branches", g.model_bytes(), false);
  CHECK(parts.report.partitions.size() >= 3);
  const auto model = import_model_file(parts.context, ImportOptions{}).value();
  CHECK_EQ(ep_context_nodes(*model->graph).size(), parts.report.partitions.size());
  const Tensor image = Tensor::from<float>({2, 4}, random_numbers(8, 3));
  for (const bool flag : {true, false}) {
    const std::vector<Tensor> inputs = {Tensor::scalar<bool>(flag), image};
    CHECK(same_bits(run_file(parts.context, inputs), run_file(parts.source, inputs, kSplit)));
    CHECK(all_near(run_file(parts.context, inputs), run_file(parts.source, inputs), 1e-5, 1e-6));
  }
}

TEST(targets, a_lower_target_runs_here_with_the_same_bits_as_from_source) {
  for (const char* target : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    if (!runs_here(target)) continue;
    const KeyValues options = {{"target", target}};
    const Compiled parts = compile_parts(str_cat("t", target), small_network(), false, {}, options);
    const std::string binary = read_whole_file(temp_dir() + "/t" + target + "_aot.bin");
    CHECK_EQ(read_context_header(as_bytes(binary)).value().target, std::string(target));
    CHECK(same_bits(run_file(parts.context, {three_rows()}),
                    run_file(parts.source, {three_rows()}, options)));
  }
}

// By what the model says of it, and where it does not, by the binary itself.
TEST(targets, what_this_processor_does_not_run_is_refused) {
  for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    if (runs_here(target) || is_kin(target)) continue;
    for (const bool embed : {false, true}) {
      const Compiled parts = compile_for(str_cat("f", target, embed), target, embed);
      const Status told = load_status(parts.context);
      CHECK_CODE(told, Code::kFail);
      CHECK(told.message().find(str_cat("compiled for ", target)) != std::string::npos);
      hide_compatibility(parts.context);
      const Status found = load_status(parts.context);
      CHECK_CODE(found, Code::kInvalidGraph);
      CHECK(found.message().find(str_cat("compiled for ", target)) != std::string::npos);
    }
  }
}

TEST(targets, a_higher_level_runs_with_the_kernels_that_are_here) {
  for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (runs_here(target) || !is_kin(target)) continue;
    const Compiled parts = compile_for(str_cat("h", target), target);
    const std::string here(host_level().name);
    CHECK(same_bits(run_file(parts.context, {three_rows()}),
                    run_file(compile_for(str_cat("l", target), here).context, {three_rows()})));
  }
}

TEST(targets, a_file_for_several_runs_as_the_best_that_is_here) {
  const std::string several = str_cat("generic;", host_level().name, ";", kForeign);
  const auto expected =
      run_file(compile_for("best", std::string(host_level().name)).context, {three_rows()});
  for (const bool embed : {false, true}) {
    const Compiled parts = compile_for(str_cat("several", embed), several, embed);
    CHECK(same_bits(run_file(parts.context, {three_rows()}), expected));
    hide_compatibility(parts.context);
    CHECK(same_bits(run_file(parts.context, {three_rows()}), expected));
  }
  const Compiled low = compile_for("low", str_cat("generic;", kForeign));
  CHECK(same_bits(run_file(low.context, {three_rows()}),
                  run_file(compile_for("generic", "generic").context, {three_rows()})));
}

TEST(targets, a_file_for_several_is_hardly_larger_than_for_one) {
  const auto size_for = [](const std::string& name, const std::string& target) {
    const Compiled parts = compile_for(name, target);
    return std::filesystem::file_size(parts.context) +
           std::filesystem::file_size(temp_dir() + "/" + name + "_aot.bin");
  };
  const auto one = size_for("size1", "x86-64-v3");
  const auto all = size_for("size4", "x86-64-v2;x86-64-v3;x86-64-v4;aarch64");
  CHECK(all <= one + one / 50);
}

TEST(targets, a_file_for_several_of_which_none_is_here_is_refused) {
#if defined(__aarch64__)
  const Compiled parts = compile_for("none", "x86-64;x86-64-v4");
#else
  const Compiled parts = compile_for("none", "aarch64;aarch64+dotprod");
#endif
  CHECK_CODE(load_status(parts.context), Code::kFail);
  hide_compatibility(parts.context);
  CHECK_CODE(load_status(parts.context), Code::kInvalidGraph);
}

TEST(targets, another_architecture_is_refused_by_a_session_that_shall_run) {
  const auto environment = quiet_environment();
  const std::string path = temp_dir() + "/foreign.onnx";
  write_whole_file(path, small_network());
  const KeyValues options = {{"target", kForeign}};
  const auto session =
      Session::create(environment, file_source(path), with_options(*environment, options));
  CHECK_CODE(session, Code::kInvalidArgument);
  CHECK(session.status().message().find(options.at("target")) != std::string::npos);
  CHECK(session.status().message().find("without running") != std::string::npos);
}

TEST(targets, unknown_targets_and_options_are_refused_with_what_is_known) {
  const auto environment = quiet_environment();
  const std::string path = temp_dir() + "/n.onnx";
  write_whole_file(path, small_network());
  const auto target = Session::create(environment, file_source(path),
                                      with_options(*environment, {{"target", "z80"}}));
  CHECK_CODE(target, Code::kInvalidArgument);
  CHECK(target.status().message().find("x86-64-v3") != std::string::npos);
  const auto feature = Session::create(environment, file_source(path),
                                       with_options(*environment, {{"target", "x86-64-v4+vnni"}}));
  CHECK_CODE(feature, Code::kInvalidArgument);
  CHECK(feature.status().message().find("avx512vnni") != std::string::npos);
  const auto option = Session::create(environment, file_source(path),
                                      with_options(*environment, {{"targte", "host"}}));
  CHECK_CODE(option, Code::kInvalidArgument);
  CHECK(option.status().message().find("did you mean 'target'") != std::string::npos);
}

// A binary from the future: its first page says so, whatever follows.
TEST(context_versions, a_newer_major_version_is_refused_by_name) {
  const Compiled parts = compile_parts("future", small_network(), false, {}, {});
  const std::string path = temp_dir() + "/future_aot.bin";
  std::string binary = read_whole_file(path);
  binary[8] = 9;
  write_whole_file(path, binary);
  const auto environment = quiet_environment();
  const auto session =
      Session::create(environment, file_source(parts.context), options_with(*environment, {"AOT"}));
  CHECK_CODE(session, Code::kInvalidGraph);
  CHECK(session.status().message().find("format 9.0") != std::string::npos);
}
