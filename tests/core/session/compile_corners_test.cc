// SPDX-License-Identifier: MIT
// Compiling what other compilers get wrong: values that only a body reads, outputs that are
// constants, names that come twice, strings and sparse weights, odd metadata, folders that cannot
// be written.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/context/context_source.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace fs = std::filesystem;

namespace {

std::unique_ptr<Model> read(const std::string& path) {
  auto model = import_model_file(path, ImportOptions{});
  CHECK_OK(model);
  return std::move(model).value();
}

// Compiles with AOT alone and with the test provider before it, embedded and not; what is loaded
// gives the numbers of the source. Gives the last model's path.
std::string check_compiles(const std::string& name, const std::string& model,
                           const std::vector<Tensor>& inputs,
                           const KeyValues& own = {{"operators", "Softsign"}}) {
  const auto expected = expected_of(model, inputs);
  std::string last;
  for (const bool embed : {false, true}) {
    for (const bool is_alone : {true, false}) {
      const TestEnvironment test;
      const auto options = [&](const KeyValues& values) {
        return is_alone ? test.options({"AOT"}, {}) : test.options({"Test", "AOT"}, values);
      };
      const auto path = test.compile(str_cat(name, embed ? "_e" : "", is_alone ? "_a" : ""), model,
                                     options(own), embed);
      CHECK_OK(path);
      const auto session = test.open(file_source(*path), options({}));
      CHECK_OK(session);
      CHECK(all_near(run_all(**session, inputs), expected, 1e-5, 1e-6));
      last = *path;
    }
  }
  return last;
}

}  // namespace

TEST(compile_corners, inputs_and_outputs_keep_their_order_and_types) {
  GraphBuilder g;
  const auto b = g.input("b", DType::kInt64, {2, 4});
  const auto a = g.input("a", DType::kFloat32, {2, 4});
  const auto s = g.node("Softsign", {a}, {"z_first"})[0];
  const auto n = g.node("Neg", {b}, {"a_second"})[0];
  g.output(s);
  g.output(n);
  g.infer();
  const Tensor whole = Tensor::from<int64_t>({2, 4}, std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  const auto path = check_compiles("order", g.model_bytes(), {whole, two_rows()});
  const auto model = read(path);
  const auto name = [&](ValueId id) { return model->graph->value(id)->name; };
  CHECK_EQ(name(model->graph->inputs().at(0)), "b");
  CHECK_EQ(name(model->graph->inputs().at(1)), "a");
  CHECK_EQ(name(model->graph->outputs().at(0)), "z_first");
  CHECK_EQ(name(model->graph->outputs().at(1)), "a_second");
}

TEST(compile_corners, a_model_without_inputs_compiles_and_loads) {
  GraphBuilder g;
  const auto w = g.random_floats("w", {2, 4}, 3);
  const auto noise = g.node("RandomUniformLike", {w}, {"noise"})[0];
  const auto zero = g.node("Sub", {noise, noise}, {"zero"})[0];
  g.output(g.node("Softsign", {g.node("Add", {zero, w}, {"sum"})[0]}, {"y"})[0]);
  g.infer();
  check_compiles("no_inputs", g.model_bytes(), {});
}

TEST(compile_corners, an_output_that_is_a_constant_stays_one) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("w", {2, 4}, 3);
  g.output(g.node("Softsign", {x}, {"y"})[0]);
  g.output(w);
  g.output(g.node("Identity", {w}, {"again"})[0]);
  g.infer();
  check_compiles("constant_output", g.model_bytes(), {two_rows()});
}

TEST(compile_corners, an_outer_initializer_that_only_a_body_reads_is_kept) {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("only_inside", {4}, 11);
  std::vector<Attribute> branches;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder inner(17, &g.graph());
    const auto outer_x = inner.graph().capture(x).value();
    const auto outer_w = inner.graph().capture(w).value();
    const std::string out = branches.empty() ? "t" : "e";
    const auto sum = inner.node("Add", {outer_x, outer_w}, {out + "_sum"})[0];
    inner.output(inner.node(branches.empty() ? "Softsign" : "Tanh", {sum}, {out})[0]);
    branches.push_back(graph_attribute(name, inner.shared()));
  }
  g.output(g.node("If", {c}, {"y"}, branches)[0]);
  g.infer();
  for (const bool flag : {true, false}) {
    check_compiles(str_cat("outer", flag), g.model_bytes(),
                   {Tensor::scalar<bool>(flag), two_rows()});
  }
}

TEST(compile_corners, nodes_of_one_name_are_different_nodes) {
  using namespace ortc::wire;
  const std::string bytes = wire::model(
      graph({node("Softsign", {"x"}, {"a"}, {}, "same"), node("Tanh", {"a"}, {"b"}, {}, "same"),
             node("Softsign", {"b"}, {"c"}, {}, "same"), node("Neg", {"c"}, {"y"}, {}, "same")},
            {value("x", 1, {2, 4})}, {value("y", 1, {2, 4})}));
  check_compiles("same_names", bytes, {two_rows()},
                 {{"operators", "Softsign"}, {"groups", "single"}});
}

TEST(compile_corners, local_functions_are_compiled_as_their_bodies) {
  using namespace ortc::wire;
  const std::string twice =
      function("Twice", {"a"}, {"r"}, {node("Softsign", {"a"}, {"m"}), node("Tanh", {"m"}, {"r"})});
  const std::string bytes = wire::model(graph({node("Twice", {"x"}, {"h"}, {}, "first", "local"),
                                               node("Twice", {"h"}, {"y"}, {}, "second", "local")},
                                              {value("x", 1, {2, 4})}, {value("y", 1, {2, 4})}),
                                        {twice});
  check_compiles("functions", bytes, {two_rows()});
}

TEST(compile_corners, metadata_of_any_bytes_and_size_come_through) {
  using namespace ortc::wire;
  const std::string odd("zero\0inside", 11), huge(3 << 20, 'm');
  const auto entry = [](std::string_view key, std::string_view text) {
    return field(14, field(1, key) + field(2, text));
  };
  const std::string bytes = wire::model(
      graph({node("Softsign", {"x"}, {"y"})}, {value("x", 1, {2, 4})}, {value("y", 1, {2, 4})}), {},
      entry("odd", odd) + entry("huge", huge));
  const auto model = read(check_compiles("metadata", bytes, {two_rows()}));
  CHECK(model->metadata_value("odd") != nullptr && *model->metadata_value("odd") == odd);
  CHECK(model->metadata_value("huge") != nullptr && *model->metadata_value("huge") == huge);
}

namespace {

// x + w, where w is sparse, x + v, and a text that goes through.
std::string model_of_kinds() {
  using namespace ortc::wire;
  const std::string sparse = field(1, tensor("w", 1, {1}, raw(std::string("\0\0\x80\x3f", 4)))) +
                             field(2, tensor("", 7, {1}, raw(std::string("\1\0\0\0\0\0\0\0", 8)))) +
                             number_field(3, 4);
  return wire::model(
      graph({node("Add", {"x", "w"}, {"y"}), node("Add", {"x", "v"}, {"z"}),
             node("Identity", {"t"}, {"text"})},
            {value("x", 1, {4})}, {value("y", 1, {4}), value("z", 1, {4}), value("text", 8, {1})},
            {tensor("v", 1, {4}, raw(std::string(16, '\0'))), tensor("t", 8, {1}, field(6, "hi"))},
            field(15, sparse)));
}

CompileOptions compile_of_kinds(const Environment& environment, const std::string& bytes,
                                const std::string& folder) {
  CompileOptions options = CompileOptions::from(options_with(environment, {}));
  options.input = memory_source(bytes);
  fs::create_directory(str_cat(temp_dir(), "/", folder));
  options.output_path = str_cat(temp_dir(), "/", folder, "/kinds.onnx");
  return options;
}

void check_loads(const std::string& path) {
  const auto environment = quiet_environment();
  CHECK_OK(Session::create(environment, file_source(path), options_with(*environment, {})));
}

}  // namespace

TEST(compile_corners, sparse_weights_are_not_in_the_file_for_initializers) {
  const auto environment = quiet_environment();
  const std::string bytes = model_of_kinds();
  CompileOptions options = compile_of_kinds(*environment, bytes, "sparse");
  options.external_initializers = "w.bin";
  CHECK_OK(compile_to_output(environment, options));
  constexpr size_t kOfV = 16, kOfGeneration = 32;
  CHECK_EQ(fs::file_size(str_cat(temp_dir(), "/sparse/w.bin")), kOfV + kOfGeneration);
  CHECK(read(options.output_path)->graph->find_value("w")->sparse_initializer != nullptr);
  check_loads(options.output_path);
}

TEST(compile_corners, a_program_that_places_initializers_gets_no_file_of_them) {
  const auto environment = quiet_environment();
  const std::string bytes = model_of_kinds();
  CompileOptions options = compile_of_kinds(*environment, bytes, "placed");
  options.session.context.external_initializers = "w.bin";
  options.program.initializers.choose = [](const std::string&, const Tensor&,
                                           const ExternalLocation*) {
    return Result<std::optional<ExternalLocation>>(std::nullopt);
  };
  CHECK_OK(compile_to_output(environment, options));
  CHECK(!fs::exists(str_cat(temp_dir(), "/placed/w.bin")));
  check_loads(options.output_path);
}

TEST(compile_corners, strings_and_sparse_weights_stay_where_they_are) {
  const auto environment = quiet_environment();
  const std::string bytes = model_of_kinds();
  CompileOptions options = compile_of_kinds(*environment, bytes, "kinds");
  std::string asked;
  options.program.initializers.choose = [&](const std::string& name, const Tensor&,
                                            const ExternalLocation*) {
    asked += name + " ";
    return Result<std::optional<ExternalLocation>>(std::nullopt);
  };
  CHECK_OK(compile_to_output(environment, options));
  CHECK_EQ(asked, "v ");
  const auto model = read(options.output_path);
  CHECK(model->graph->find_value("w")->sparse_initializer != nullptr);
  CHECK_EQ(model->graph->find_value("t")->constant()->string_elements()[0], "hi");
  check_loads(options.output_path);
}

TEST(compile_corners, the_graph_level_is_that_of_the_compile_and_not_of_the_session) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  auto h = g.node("Identity", {x}, {"i"})[0];
  h = g.node("Identity", {h}, {"j"})[0];
  g.output(g.node("Tanh", {h}, {"y"})[0]);
  g.infer();
  const auto environment = quiet_environment();
  std::vector<size_t> counts;
  for (const auto level : {OptimisationLevel::kNone, OptimisationLevel::kAll}) {
    CompileOptions options = CompileOptions::from(options_with(*environment, {}));
    CHECK(options.level == OptimisationLevel::kNone);
    options.level = level;
    options.input = memory_source(g.model_bytes());
    options.output_path = str_cat(temp_dir(), "/level", counts.size(), ".onnx");
    CHECK_OK(compile_to_output(environment, options));
    const auto model = read(options.output_path);
    counts.push_back(model->graph->topological_order()->size());
  }
  CHECK_EQ(counts[0], size_t{3});
  CHECK_EQ(counts[1], size_t{1});
}

TEST(compile_corners, a_verdict_is_asked_for_before_anything_else_of_a_provider) {
  const TestEnvironment test;
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  g.output(g.node("Tanh", {x}, {"y"})[0]);
  g.infer();
  const auto path = test.compile("verdict_first", g.model_bytes(),
                                 test.options({"Test"}, {{"operators", "Tanh"}}));
  CHECK_OK(path);
  auto model = read(*path);
  model->set_metadata(str_cat("ep_compatibility_info.", kTestProvider), "test-context 9 toy-1");
  const std::string changed = str_cat(temp_dir(), "/verdict_changed.onnx");
  write_whole_file(changed, *wire::export_text(*model));
  const int asked = test.state->asked;
  const auto session = test.open(file_source(changed), test.options({"Test"}, {}));
  CHECK_CODE(session, Code::kFail);
  CHECK(session.status().message().find("version 9") != std::string::npos);
  CHECK_EQ(test.state->asked.load(), asked);
}

// As another user where the test is root's: root may write anywhere.
TEST(compile_corners, a_folder_that_cannot_be_written_is_told_before_anything_is_compiled) {
  const std::string folder = str_cat(temp_dir(), "/closed");
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms(0555));
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const bool is_ready = chdir(folder.c_str()) == 0 && (geteuid() != 0 || setuid(65534) == 0);
    const TestEnvironment test;
    CompileOptions options =
        CompileOptions::from(test.options({"Test"}, {{"operators", "MatMul"}}));
    options.input = memory_source(small_network());
    options.output_path = "m_ctx.onnx";
    const auto report = compile_to_output(test.environment, options);
    const bool is_told = report.status().code() == Code::kFail &&
                         report.status().message().find("m_ctx.onnx") != std::string::npos &&
                         report.status().message().find("folder") != std::string::npos;
    _exit(is_ready && is_told && test.state->compiled == 0 ? 0 : 1);
  }
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}
