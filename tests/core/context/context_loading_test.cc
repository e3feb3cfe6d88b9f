// SPDX-License-Identifier: MIT
// Loading context models: codes, damage, files that go away.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "core/context/context_source.h"
#include "core/context/inspect/inspect.h"
#include "core/graph/export.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

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
