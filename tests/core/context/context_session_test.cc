// SPDX-License-Identifier: MIT
// Generating and loading context models through sessions: rules, codes, damage, crashes.
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/context/context_source.h"
#include "core/context/inspect/inspect.h"
#include "core/graph/export.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/processes.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

std::string write_network(const std::string& folder, const std::string& name = "m.onnx",
                          unsigned seed = 1) {
  const std::string path = path_join(folder, name);
  write_whole_file(path, small_network(40, seed));
  return path;
}

Result<std::unique_ptr<Session>> generate(const ModelSource& source, const KeyValues& config,
                                          std::vector<std::string> providers = {"AOT"}) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, std::move(providers));
  for (const auto& [key, value] : config) RETURN_IF_ERROR(options.set(key, value));
  options.context.enable = true;
  return Session::create(environment, source, options);
}

Tensor fixed_batch() { return Tensor::from<float>({5, 40}, random_numbers(200, 77)); }

std::vector<std::string> folder_of(const std::string& path) { return list_folder(path).value(); }

}  // namespace

TEST(context_generation, derives_the_output_name_and_binary_name) {
  const std::string folder = next_folder();
  CHECK_OK(generate(file_source(write_network(folder)), {}));
  CHECK(folder_of(folder) == (std::vector<std::string>{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
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
  CHECK_EQ(folder_of(folder).size(), 2u);
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
  CHECK_EQ(folder_of(folder).size(), 1u);
}

TEST(context_generation, needs_a_path_for_a_model_from_memory) {
  const std::string folder = next_folder();
  CHECK_CODE(generate(memory_source(small_network()), {}), Code::kFail);
  CHECK_OK(
      generate(memory_source(small_network()), {{"ep.context_file_path", folder + "/q_ctx.onnx"}}));
  CHECK(folder_of(folder) == (std::vector<std::string>{"q_aot.bin", "q_ctx.onnx"}));
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
  CHECK_EQ(folder_of(folder).size(), 1u);
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
    CHECK((folder_of(folder) == Names{"m.onnx", "optimised.onnx"}));
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
  CHECK_EQ(folder_of(folder).size(), 3u);
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
  CHECK((folder_of(folder) == Names{"m.onnx", "m_ctx.onnx"}));
  options.embed = false;
  CHECK_OK(compile_to_output(environment, options));
  CHECK((folder_of(folder) == Names{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
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

TEST(context_loading, needs_the_provider_that_made_it_and_says_so) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const auto environment = quiet_environment();
  const auto result = Session::create(environment, file_source(folder + "/m_ctx.onnx"),
                                      options_with(*environment, {}));
  CHECK_CODE(result, Code::kNotImplemented);
  CHECK(result.status().message().find("add 'AotExecutionProvider'") != std::string::npos);
}

TEST(context_loading, works_from_memory_with_a_path_for_the_binary) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  options.context.file_path = folder + "/m_ctx.onnx";
  const auto session =
      Session::create(environment, memory_source(read_whole_file(folder + "/m_ctx.onnx")), options);
  CHECK_OK(session);
  CHECK(same_bits(run_all(*session.value(), {fixed_batch()}),
                  run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()})));
}

// Every fault of ep_cache_context is INVALID_GRAPH.
TEST(context_loading, refuses_bad_names_of_the_binary) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  fs::create_directory(folder + "/sub");
  fs::copy(folder + "/m_aot.bin", folder + "/sub/inside.bin");
  const std::string outside = next_folder();
  fs::copy(folder + "/m_aot.bin", outside + "/out.bin");
  fs::create_symlink(outside + "/out.bin", folder + "/link.bin");
  fs::create_directory(folder + "/directory.bin");
  const auto with_name = [&](const std::string& name) {
    auto model = import_model_file(folder + "/m_ctx.onnx", ImportOptions{}).value();
    const NodeId id = ep_context_nodes(*model->graph)[0]->id();
    model->graph->node(id)->set_attribute(Attribute::of_string("ep_cache_context", name));
    std::string bytes;
    CHECK_OK(export_model(*model, ExportOptions{}, [&](Bytes piece) {
      bytes.append(as_text(piece));
      return Status::ok();
    }));
    write_whole_file(folder + "/changed.onnx", bytes);
    return load(folder + "/changed.onnx");
  };
  CHECK_OK(with_name("m_aot.bin"));
  CHECK_OK(with_name("sub/inside.bin"));
  for (const std::string& name :
       {std::string(""), outside + "/out.bin", "../" + path_file_name(outside) + "/out.bin",
        std::string("link.bin"), std::string("none.bin"), std::string("directory.bin"),
        std::string("C:\\x.bin"), std::string("sub/../../x.bin")}) {
    CHECK_CODE(with_name(name), Code::kInvalidGraph);
  }
}

// With room for one more file, for two, and so on: nothing is wrong with the model.
TEST(context_loading, tells_want_of_descriptors_from_damage) {
  const std::string folder = next_folder();
  CHECK_OK(generate(file_source(write_network(folder)), {}));
  rlimit whole{};
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &whole), 0);
  const int next = dup(0);
  close(next);
  int failed = 0;
  for (rlim_t room = 0; room < 20; ++room) {
    const rlimit little{static_cast<rlim_t>(next) + room, whole.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &little), 0);
    const auto made = load(folder + "/m_ctx.onnx");
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &whole), 0);
    if (made.is_ok()) break;
    CHECK_CODE(made, Code::kFail);
    ++failed;
  }
  CHECK(failed > 0 && failed < 20);
}

TEST(context_loading, refuses_a_binary_of_another_generation) {
  const std::string folder = next_folder(), other = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  compile_to(write_network(other, "m.onnx", 5), other + "/m_ctx.onnx");
  fs::copy(other + "/m_aot.bin", folder + "/m_aot.bin", fs::copy_options::overwrite_existing);
  const auto result = load(folder + "/m_ctx.onnx");
  CHECK_CODE(result, Code::kInvalidGraph);
  CHECK(result.status().message().find("generation") != std::string::npos);
}

TEST(context_loading, refuses_every_truncation_and_never_crashes) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const std::string binary = read_whole_file(folder + "/m_aot.bin");
  for (size_t size = 0; size < binary.size(); size += size < 9000 ? 97 : 4001) {
    write_whole_file(folder + "/m_aot.bin", binary.substr(0, size));
    CHECK_CODE(load(folder + "/m_ctx.onnx"), Code::kInvalidGraph);
  }
}

// Bits of page 0 and metadata are always noticed; bits of tensors are noticed by verification.
TEST(context_loading, notices_flipped_bits) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const std::string binary = read_whole_file(folder + "/m_aot.bin");
  const auto header = read_context_header(as_bytes(binary)).value();
  const auto environment = quiet_environment();
  const InspectOptions verify{.details = false, .verify_data = true};
  CHECK(inspect_file(folder + "/m_ctx.onnx", verify, environment->providers())
            ->find("\"verdict\":\"optimal\"") != std::string::npos);
  for (size_t at = 0; at < binary.size(); at += at < 6000 ? 53 : 1013) {
    std::string damaged = binary;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    write_whole_file(folder + "/m_aot.bin", damaged);
    const auto result = load(folder + "/m_ctx.onnx");
    if (at < 4096 + header.metadata_size) CHECK_CODE(result, Code::kInvalidGraph);
    if (result.is_ok()) CHECK(!run_all(*result.value(), {fixed_batch()}).empty());
  }
  std::string damaged = binary;
  damaged[binary.size() - 200] = static_cast<char>(damaged[binary.size() - 200] ^ 1);
  write_whole_file(folder + "/m_aot.bin", damaged);
  CHECK(inspect_file(folder + "/m_ctx.onnx", verify, environment->providers())
            ->find("\"verdict\":\"broken\"") != std::string::npos);
}

TEST(context_loading, requires_compilation_when_compiling_is_off) {
  const std::string folder = next_folder();
  const std::string model = write_network(folder);
  compile_to(model, folder + "/m_ctx.onnx");
  CHECK_CODE(load(model, {{"session.disable_model_compile", "1"}}),
             Code::kModelRequiresCompilation);
  CHECK_OK(load(folder + "/m_ctx.onnx", {{"session.disable_model_compile", "1"}}));
}

TEST(context_loading, refuses_contexts_of_kernels_that_are_not_here) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  auto model = import_model_file(folder + "/m_ctx.onnx", ImportOptions{}).value();
  const std::string key = "ep_compatibility_info.AotExecutionProvider";
  CHECK(model->metadata_value(key) != nullptr);
  model->set_metadata(key, *model->metadata_value(key) + ",gemm.f99:1:1");
  std::string bytes;
  CHECK_OK(export_model(*model, ExportOptions{}, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  write_whole_file(folder + "/future.onnx", bytes);
  const auto result = load(folder + "/future.onnx");
  CHECK_CODE(result, Code::kFail);
  CHECK(result.status().message().find("gemm.f99:1:1") != std::string::npos);
}

TEST(context_loading, goes_on_running_when_its_files_are_replaced_and_deleted) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const auto session = load(folder + "/m_ctx.onnx");
  CHECK_OK(session);
  const auto before = run_all(*session.value(), {fixed_batch()});
  compile_to(write_network(folder, "m.onnx", 8), folder + "/m_ctx.onnx");
  CHECK(same_bits(run_all(*session.value(), {fixed_batch()}), before));
  CHECK(!same_bits(run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()}), before));
  fs::remove_all(folder);
  CHECK(same_bits(run_all(*session.value(), {fixed_batch()}), before));
}

TEST(context_loading, reads_instead_of_mapping_when_told_and_survives_truncation_in_place) {
  const std::string folder = next_folder();
  compile_to(write_network(folder), folder + "/m_ctx.onnx");
  const auto session = load(folder + "/m_ctx.onnx", {{"session.disable_file_mapping", "1"}});
  CHECK_OK(session);
  const auto before = run_all(*session.value(), {fixed_batch()});
  CHECK_EQ(truncate((folder + "/m_aot.bin").c_str(), 0), 0);
  CHECK(same_bits(run_all(*session.value(), {fixed_batch()}), before));
}

TEST(context_crash, leaves_the_complete_old_or_the_complete_new_set_at_every_operation) {
  for (const bool old_exists : {true, false}) {
    int new_sets = 0, operations = 0;
    for (int n = 1;; ++n) {
      const std::string folder = next_folder();
      std::vector<Tensor> old_result;
      if (old_exists) {
        compile_to(write_network(folder, "m.onnx", 1), folder + "/m_ctx.onnx");
        old_result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
      }
      const std::string model = write_network(folder, "m.onnx", 8);
      const auto new_result = run_all(*load(model).value(), {fixed_batch()});
      const bool died = dies_at_operation(n, [&] { compile_to(model, folder + "/m_ctx.onnx"); });
      const auto session = load(folder + "/m_ctx.onnx");
      if (!session.is_ok()) {
        CHECK(!old_exists);
        CHECK_CODE(session, Code::kNoSuchFile);
      } else {
        const auto result = run_all(*session.value(), {fixed_batch()});
        const bool is_new = same_bits(result, new_result);
        CHECK(is_new || (old_exists && same_bits(result, old_result)));
        new_sets += is_new ? 1 : 0;
      }
      // Whatever was left behind, the next compilation succeeds and tidies up.
      compile_to(model, folder + "/m_ctx.onnx");
      CHECK(folder_of(folder) == (std::vector<std::string>{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
      fs::remove_all(folder);
      if (!died) break;
      ++operations;
    }
    CHECK(operations > 5);
    CHECK(new_sets > 1);
  }
}

TEST(context_crash, keeps_the_old_set_when_the_disk_is_full_at_any_operation) {
  for (int n = 1;; ++n) {
    const std::string folder = next_folder();
    compile_to(write_network(folder, "m.onnx", 1), folder + "/m_ctx.onnx");
    const auto old_result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
    const std::string model = write_network(folder, "m.onnx", 8);
    const auto new_result = run_all(*load(model).value(), {fixed_batch()});
    int count = 0;
    bool failed = false;
    set_write_operation_hook([&](const char* operation, const std::string& path) {
      if (++count < n || std::string_view(operation) == "remove") return Status::ok();
      failed = true;
      return fail(operation, " '", path, "': No space left on device");
    });
    const auto environment = quiet_environment();
    CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
    options.input = file_source(model);
    options.output_path = folder + "/m_ctx.onnx";
    const auto report = compile_to_output(environment, options);
    set_write_operation_hook(nullptr);
    const auto result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
    if (report.is_ok()) {
      CHECK(same_bits(result, new_result));
    } else {
      CHECK(report.status().message().find("No space left") != std::string::npos);
      CHECK(same_bits(result, old_result) || same_bits(result, new_result));
    }
    fs::remove_all(folder);
    if (!failed) break;
  }
}

TEST(context_crash, keeps_the_old_set_when_a_small_file_system_is_really_full) {
  const std::string folder = next_folder();
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=160k") != 0) {
    std::fprintf(stderr, "SKIPPED: this system does not let the test mount a file system\n");
    return;
  }
  const std::string outside = next_folder();
  compile_to(write_network(outside), folder + "/m_ctx.onnx");
  const auto files = folder_of(folder);
  const auto before = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
  write_whole_file(outside + "/large.onnx", small_network(300));
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(outside + "/large.onnx");
  options.output_path = folder + "/m_ctx.onnx";
  const auto report = compile_to_output(environment, options);
  const bool intact =
      folder_of(folder) == files &&
      same_bits(run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()}), before);
  CHECK_EQ(umount2(folder.c_str(), MNT_DETACH), 0);
  CHECK_CODE(report, Code::kFail);
  CHECK(report.status().message().find("No space left on device") != std::string::npos);
  CHECK(intact);
}
