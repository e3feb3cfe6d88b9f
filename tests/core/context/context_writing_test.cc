// SPDX-License-Identifier: MIT
// Writing context models, by sessions and by the Compile API: names, rules, codes.
#include <filesystem>

#include "core/context/context_source.h"
#include "core/platform/path.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

TEST(context_generation, derives_the_output_name_and_binary_name) {
  const std::string folder = next_folder();
  CHECK_OK(generate(file_source(write_network(folder)), {}));
  CHECK(list_folder(folder).value() ==
        (std::vector<std::string>{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
  CHECK_OK(load(folder + "/m_ctx.onnx"));
}

TEST(context_generation, gives_a_session_that_runs_too) {
  const std::string folder = next_folder();
  auto session = generate(file_source(write_network(folder)), {});
  CHECK_OK(session);
  const auto made = run_all(**session, {fixed_batch()});
  const auto loaded = load(folder + "/m_ctx.onnx");
  CHECK_OK(loaded);
  CHECK(same_bits(made, run_all(*loaded.value(), {fixed_batch()})));
}

TEST(context_generation, refuses_an_existing_output_and_leaves_it_alone) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  write_whole_file(folder + "/m_ctx.onnx", "old");
  const auto result = generate(file_source(model), {});
  CHECK_CODE(result, Code::kFail);
  CHECK(result.status().message().find("exists already") != std::string::npos);
  CHECK_EQ(read_whole_file(folder + "/m_ctx.onnx"), std::string("old"));
  CHECK_EQ(list_folder(folder).value().size(), 2u);
}

TEST(context_generation, refuses_an_existing_binary_without_overwriting) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  write_whole_file(folder + "/m_aot.bin", "old");
  CHECK_CODE(generate(file_source(model), {}), Code::kFail);
  CHECK_EQ(read_whole_file(folder + "/m_aot.bin"), std::string("old"));
}

TEST(context_generation, refuses_a_folder_as_output_path) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  for (const std::string& path : {folder + "/", folder + "/noextension", folder}) {
    CHECK_CODE(generate(file_source(model), {{"ep.context_file_path", path}}),
               Code::kInvalidArgument);
  }
  CHECK_EQ(list_folder(folder).value().size(), 1u);
}

TEST(context_generation, needs_a_path_for_a_model_from_memory) {
  const std::string folder = next_folder();
  CHECK_CODE(generate(memory_source(small_network()), {}), Code::kFail);
  CHECK_OK(
      generate(memory_source(small_network()), {{"ep.context_file_path", folder + "/q_ctx.onnx"}}));
  CHECK(list_folder(folder).value() == (std::vector<std::string>{"q_aot.bin", "q_ctx.onnx"}));
}

TEST(context_generation, says_which_folder_is_missing) {
  const auto result = generate(memory_source(small_network()),
                               {{"ep.context_file_path", temp_dir() + "/none/q_ctx.onnx"}});
  CHECK_CODE(result, Code::kFail);
  CHECK(result.status().message().find("/none") != std::string::npos);
}

TEST(context_generation, writes_nothing_when_nothing_was_compiled) {
  const std::string folder = next_folder();
  CHECK_OK(generate(file_source(write_network(folder)), {}, {}));
  CHECK_EQ(list_folder(folder).value().size(), 1u);
}

// It is known when the providers were asked.
TEST(context_generation, writes_an_optimised_model_when_nothing_was_compiled) {
  const std::string folder = next_folder(), optimised = folder + "/optimised.onnx";
  const std::string source = write_network(folder);
  const KeyValues config = {{"session.optimized_model_filepath", optimised}};
  const auto refused = generate(file_source(source), config);
  CHECK_CODE(refused, Code::kFail);
  CHECK(!fs::exists(optimised));
  for (const std::string taken : {"", "AOT"}) {
    KeyValues all = config;
    // Also with a provider that leaves everything.
    if (!taken.empty())
      all["ep.aot.excluded_operators"] =
          "MatMul,Add,Relu,Shape,Gather,Concat,Reshape,Tanh,Gemm,FusedMatMul,FusedGemm";
    const auto made = generate(file_source(source), all, taken.empty() ? Names{} : Names{taken});
    CHECK_OK(made);
    CHECK((list_folder(folder).value() == Names{"m.onnx", "optimised.onnx"}));
    const auto environment = quiet_environment();
    const auto again =
        Session::create(environment, file_source(optimised), options_with(*environment, {}));
    CHECK_OK(again);
    CHECK(
        all_near(run_all(**again, {fixed_batch()}), run_all(**made, {fixed_batch()}), 1e-5, 1e-5));
    fs::remove(optimised);
  }
}

TEST(context_generation, writes_nothing_for_a_compiled_model) {
  const std::string folder = next_folder();
  CHECK_OK(generate(file_source(write_network(folder)), {}));
  CHECK_OK(generate(file_source(folder + "/m_ctx.onnx"), {}));
  CHECK_EQ(list_folder(folder).value().size(), 3u);
}

TEST(context_generation, puts_the_prefix_in_front_of_names) {
  const std::string folder = next_folder();
  CHECK_OK(
      generate(file_source(write_network(folder)), {{"ep.context_node_name_prefix", "left_"}}));
  const auto model = import_model_file(folder + "/m_ctx.onnx", ImportOptions{}).value();
  const auto nodes = ep_context_nodes(*model->graph);
  CHECK_EQ(nodes.size(), 1u);
  CHECK(nodes[0]->name().starts_with("left_AOT_"));
  CHECK_EQ(nodes[0]->string_attribute("partition_name", ""), nodes[0]->name());
}

TEST(context_generation, is_deterministic) {
  std::string bytes[2];
  for (std::string& text : bytes) {
    const std::string folder = next_folder();
    compile_to(write_network(folder), folder + "/m_ctx.onnx");
    text = read_whole_file(folder + "/m_ctx.onnx") + read_whole_file(folder + "/m_aot.bin");
  }
  CHECK(bytes[0] == bytes[1]);
}

TEST(compile_api, overwrites_unless_told_not_to) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  compile_to(model, folder + "/m_ctx.onnx");
  compile_to(model, folder + "/m_ctx.onnx");
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(model);
  options.output_path = folder + "/m_ctx.onnx";
  options.set_flags(kErrorIfOutputExists);
  CHECK_CODE(compile_to_output(environment, options), Code::kFail);
  CHECK_OK(load(folder + "/m_ctx.onnx"));
}

TEST(compile_api, embeds_when_the_session_options_say_so_and_nobody_says_otherwise) {
  const std::string folder = next_folder();
  const auto environment = quiet_environment();
  SessionOptions session = options_with(*environment, {"AOT"});
  CHECK_OK(session.set("ep.context_embed_mode", "1"));
  CompileOptions options = CompileOptions::from(session);
  options.input = file_source(write_network(folder));
  CHECK_OK(compile_to_output(environment, options));
  CHECK((list_folder(folder).value() == Names{"m.onnx", "m_ctx.onnx"}));
  options.embed = false;
  CHECK_OK(compile_to_output(environment, options));
  CHECK((list_folder(folder).value() == Names{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
}

TEST(compile_api, says_that_it_writes_no_profile) {
  const std::string folder = next_folder();
  auto said = std::make_shared<std::string>();
  const auto sink = std::make_shared<const LogSink>([said](const LogRecord& record) {
    *said += str_cat(record.category, ": ", record.message, "\n");
  });
  const auto environment = std::make_shared<const Environment>(
      Logger(sink, "test", Severity::kWarning), built_in_providers());
  SessionOptions session = options_with(*environment, {"AOT"});
  session.profile_prefix = folder + "/profile";
  CompileOptions options = CompileOptions::from(session);
  options.input = file_source(write_network(folder));
  CHECK_OK(compile_to_output(environment, options));
  check_says(*said, "a compile writes no profile");
}

TEST(compile_api, refuses_a_compiled_model_and_missing_input) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.output_path = folder + "/n_ctx.onnx";
  options.input = file_source(folder + "/m_ctx.onnx");
  CHECK_CODE(compile_to_output(environment, options), Code::kInvalidGraph);
  options.input = file_source(folder + "/none.onnx");
  CHECK_CODE(compile_to_output(environment, options), Code::kInvalidArgument);
  CHECK(!path_exists(folder + "/n_ctx.onnx"));
}

TEST(compile_api, writes_a_plain_model_or_fails_when_nothing_was_compiled) {
  const std::string folder = next_folder();
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {}));
  options.input = file_source(write_network(folder));
  options.output_path = folder + "/plain.onnx";
  CHECK_OK(compile_to_output(environment, options));
  CHECK_OK(load(folder + "/plain.onnx"));
  options.output_path = folder + "/plain2.onnx";
  options.set_flags(kErrorIfNoNodesCompiled);
  CHECK_CODE(compile_to_output(environment, options), Code::kFail);
  CHECK(!path_exists(folder + "/plain2.onnx"));
}

TEST(compile_api, never_replaces_a_binary_of_another_model) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  compile_to(model, folder + "/m_ctx.onnx");
  const std::string binary = read_whole_file(folder + "/m_aot.bin");
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(write_network(folder, "other.onnx", 9));
  options.output_path = folder + "/m.onnx.onnx";  // its binary would be m.onnx_aot.bin: free
  CHECK_OK(compile_to_output(environment, options));
  options.output_path = folder + "/m_ctx.ONNX2";
  const auto result = compile_to_output(environment, options);
  CHECK_CODE(result, Code::kFail);
  CHECK(result.status().message().find("m_ctx.onnx") != std::string::npos);
  CHECK(read_whole_file(folder + "/m_aot.bin") == binary);
  CHECK_OK(load(folder + "/m_ctx.onnx"));
}
