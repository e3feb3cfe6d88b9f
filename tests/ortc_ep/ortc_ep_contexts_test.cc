// SPDX-License-Identifier: MIT
// Compiled models with libortc_ep.so: made and loaded in a runtime, exchanged with ortc, shared,
// and what is said of those that are wrong.
#include <unistd.h>

#include <cstring>
#include <map>

#include "core/context/context_source.h"
#include "ort_c/ort_api.h"
#include "ort_c/ort_c.h"
#include "tests/ortc_ep/ep_models.h"
#include "tests/ortc_ep/host_runtime.h"

using namespace ortc;
using namespace ortc::test;

TEST(ortc_ep_contexts, writes_a_context_model_while_a_session_is_made) {
  for (const auto& host : host_runtimes()) {
    for (const bool embed : {false, true}) {
      const std::string folder = fresh_folder(str_cat("enable_", host->label(), embed));
      const std::string model = small_network(), output = folder + "m_ctx.onnx";
      write_whole_file(folder + "m.onnx", model);
      const KeyValues entries = {{"ep.context_enable", "1"},
                                 {"ep.context_file_path", output},
                                 {"ep.context_embed_mode", embed ? "1" : "0"}};
      const Tensor x = random_input(ports_of(model).front(), 3, 1);
      const auto expected = expected_of(model, {x});
      const auto made = host->load(folder + "m.onnx", host->options(entries));
      CHECK(same_bits(host->run(made, {x}), expected));
      CHECK_EQ(access((folder + host->binary("m")).c_str(), F_OK) == 0, !embed);
      CHECK(same_bits(host->run(host->load(output, host->options()), {x}), expected));
    }
  }
}

TEST(ortc_ep_contexts, compiles_by_the_compile_api_to_a_file_and_to_memory) {
  for (const auto& host : host_runtimes()) {
    for (const bool embed : {false, true}) {
      const std::string folder = fresh_folder(str_cat("compile_", host->label(), embed));
      const std::string source = folder + "m.onnx", output = folder + "out_ctx.onnx";
      write_whole_file(source, small_network());
      const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
      const auto expected = expected_of(small_network(), {x});
      for (int round = 0; round < 2; ++round) {  // the second replaces the first
        CHECK(host->compile(source, output, embed).is_ok());
        CHECK(same_bits(host->run(host->load(output, host->options()), {x}), expected));
      }
      CHECK_EQ(access((folder + host->binary("out")).c_str(), F_OK) == 0, !embed);
      if (!embed) continue;
      std::string bytes;
      CHECK(host->compile(source, "", embed, {}, &bytes).is_ok());
      CHECK(same_bits(host->run(host->load_bytes(bytes, host->options()), {x}), expected));
    }
  }
}

TEST(ortc_ep_contexts, writes_compressed_contexts) {
  const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("zstd_", host->label()));
    const std::string output = folder + "m_ctx.onnx";
    write_whole_file(folder + "m.onnx", small_network());
    const KeyValues entries = {{"ep.context_compression", "zstd:9"}};
    CHECK(host->compile(folder + "m.onnx", output, false, entries).is_ok());
    CHECK(same_bits(host->run(host->load(output, host->options()), {x}),
                    expected_of(small_network(), {x})));
    const std::string binary = read_whole_file(folder + host->binary("m"));
    CHECK(binary.find("\x28\xb5\x2f\xfd") != std::string::npos);  // a frame of zstd
  }
}

TEST(ortc_ep_contexts, exchanges_compiled_models_with_ortc) {
  const HostRuntime* host = real_onnx_runtime();
  if (host == nullptr) return;  // said already
  const Tensor x = random_input(ports_of(small_network()).front(), 3, 1);
  const auto expected = expected_of(small_network(), {x});
  for (const bool embed : {false, true}) {
    const std::string folder = fresh_folder(str_cat("exchange_", embed));
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", folder + "theirs_ctx.onnx", embed).is_ok());
    CHECK(same_bits(run_in_ortc(folder + "theirs_ctx.onnx", {x}), expected));
    compile_to(folder + "m.onnx", folder + "ours_ctx.onnx", embed);
    CHECK(
        same_bits(host->run(host->load(folder + "ours_ctx.onnx", host->options()), {x}), expected));
  }
}

TEST(ortc_ep_contexts, exchanges_models_of_several_parts) {
  const KeyValues options = {{"excluded_operators", "Tanh"}};
  const Tensor x = floats({2, 8}, 1);
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("parts_", host->label()));
    write_whole_file(folder + "m.onnx", divided_model());
    for (const bool embed : {false, true}) {
      const std::string output = str_cat(folder, "m", embed, "_ctx.onnx");
      CHECK(host->compile(folder + "m.onnx", output, embed, options).is_ok());
      const auto found = host->run(host->load(output, host->options({}, /*whole=*/false)), {x});
      CHECK(all_near(found, expected_of(divided_model(), {x}), 1e-5, 1e-6));
    }
    if (!host->is_ort()) continue;
    for (const std::string name : {"mfalse_ctx.onnx", "mtrue_ctx.onnx"}) {
      CHECK(
          all_near(run_in_ortc(folder + name, {x}), expected_of(divided_model(), {x}), 1e-5, 1e-6));
    }
  }
}

TEST(ortc_ep_contexts, shares_one_binary_among_the_models_of_a_group) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("share_", host->label()));
    for (const std::string name : {"first", "second"}) {
      GraphBuilder g;
      const ValueId in = g.input("x", DType::kFloat32, {-1, 256});
      const ValueId w = g.random_floats("w", {256, 256}, 5);
      const ValueId product = g.node("MatMul", {in, w}, {"product"})[0];
      g.output(g.node(name == "first" ? "Relu" : "Tanh", {product}, {"y"})[0]);
      write_whole_file(folder + name + ".onnx", g.model_bytes());
    }
    for (const std::string name : {"first", "second"}) {
      KeyValues entries = {{"ep.context_enable", "1"},
                           {"ep.context_file_path", folder + name + "_ctx.onnx"},
                           {"ep.share_ep_contexts", "1"}};
      if (name == "second") entries["ep.stop_share_ep_contexts"] = "1";
      CHECK(host->load(folder + name + ".onnx", host->options(entries)).told.is_ok());
    }
    struct stat facts;
    CHECK_EQ(stat((folder + host->binary("first")).c_str(), &facts), 0);
    CHECK(facts.st_size < 256 * 256 * 4 * 3 / 2);  // the weight is there once
    CHECK(access((folder + host->binary("second")).c_str(), F_OK) != 0);
    const Tensor in = floats({2, 256}, 7);
    for (const std::string name : {"first", "second"}) {
      const auto session =
          host->load(folder + name + "_ctx.onnx", host->options({{"ep.share_ep_contexts", "1"}}));
      CHECK(same_bits(host->run(session, {in}),
                      expected_of(read_whole_file(folder + name + ".onnx"), {in})));
    }
  }
}

TEST(ortc_ep_contexts, refuses_a_group_in_two_folders) {
  const HostRuntime* host = real_onnx_runtime();
  if (host == nullptr) return;  // said already
  const std::string here = fresh_folder("here"), there = fresh_folder("there");
  write_whole_file(here + "m.onnx", small_network());
  const auto told = [&](const std::string& output, bool is_last) {
    KeyValues entries = {{"ep.context_enable", "1"},
                         {"ep.context_file_path", output},
                         {"ep.share_ep_contexts", "1"}};
    if (is_last) entries["ep.stop_share_ep_contexts"] = "1";
    return host->load(here + "m.onnx", host->options(entries)).told;
  };
  CHECK(told(here + "a_ctx.onnx", false).is_ok());
  const Told other = told(there + "b_ctx.onnx", true);
  CHECK(other.code != ORT_OK && other.text.find("one folder") != std::string::npos);
  CHECK(access((here + host->binary("a")).c_str(), F_OK) != 0);
  CHECK(told(here + "c_ctx.onnx", true).is_ok());  // the group is still open
  CHECK_EQ(access((here + host->binary("a")).c_str(), F_OK), 0);
}

TEST(ortc_ep_contexts, compiles_for_processors_of_other_kinds) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("arm_", host->label()));
    write_whole_file(folder + "m.onnx", small_network());
    const Told told =
        host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false, {{"target", "aarch64"}});
    CHECK(told.is_ok());
    CHECK(read_whole_file(folder + "m_ctx.onnx").find("aarch64") != std::string::npos);
    CHECK(host->load_bytes(matmul_model(), host->options({{"target", "aarch64"}})).told.code !=
          ORT_OK);
  }
}

TEST(ortc_ep_contexts, leaves_context_nodes_of_others_alone) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId y = g.node("EPContext", {x}, {"y"}, {}, "com.microsoft")[0];
  g.graph().value(y)->type = Type::tensor(DType::kFloat32, shape_of(Dims{2}));
  g.output(y);
  auto opsets = std::make_shared<OpsetImports>(*g.graph().opsets());
  opsets->emplace_back("com.microsoft", 1);
  g.graph().set_opsets(opsets);
  const std::string model = g.model_bytes();
  for (const auto& host : host_runtimes()) {
    CHECK(host->load_bytes(model, host->options({}, false)).told.code != ORT_OK);
  }
}

namespace {

std::map<std::string, std::string> given_data;

OrtStatus* keep_data(void*, const char* name, const void* data, size_t size) {
  given_data[name].assign(static_cast<const char*>(data), size);
  return nullptr;
}

OrtStatus* give_data(void*, const char* name, OrtAllocator* allocator, void** data, size_t* size) {
  const std::string& bytes = given_data[name];
  *size = bytes.size();
  *data = allocator->Alloc(allocator, bytes.size());
  memcpy(*data, bytes.data(), bytes.size());
  return nullptr;
}

}  // namespace

TEST(ortc_ep_contexts, hands_context_data_to_the_program_and_takes_them_back) {
  const HostRuntime& host = *host_runtimes().front();
  const std::string folder = fresh_folder("functions");
  write_whole_file(folder + "m.onnx", small_network());
  const auto options = host.options({}, /*whole=*/false);
  OrtModelCompilationOptions* made = nullptr;
  CHECK(host.told(OrtCreateModelCompilationOptionsFromSessionOptions(host.env(), options.get(),
                                                                     &made))
            .is_ok());
  const std::string source = folder + "m.onnx", output = folder + "m_ctx.onnx";
  CHECK(host.told(OrtModelCompilationOptions_SetInputModelPath(made, source.c_str())).is_ok());
  CHECK(host.told(OrtModelCompilationOptions_SetOutputModelPath(made, output.c_str())).is_ok());
  CHECK(host.told(OrtModelCompilationOptions_SetEpContextDataWriteFunc(made, keep_data, nullptr))
            .is_ok());
  CHECK(host.told(OrtCompileModel(host.env(), made)).is_ok());
  OrtReleaseModelCompilationOptions(made);
  CHECK(access((folder + host.binary("m")).c_str(), F_OK) != 0);
  CHECK_EQ(given_data.count(host.binary("m")), 1u);
  const auto loading = host.options();
  CHECK(host.told(OrtSessionOptionsSetEpContextDataReadFunc(loading.get(), give_data, nullptr))
            .is_ok());
  const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
  CHECK(same_bits(host.run(host.load(output, loading), {x}), expected_of(small_network(), {x})));
}

TEST(ortc_ep_contexts, says_what_is_wrong_with_a_context) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("broken_", host->label()));
    const std::string binary = folder + host->binary("m"), output = folder + "m_ctx.onnx";
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", output, false).is_ok());
    const std::string bytes = read_whole_file(binary);
    const auto told = [&] { return host->load(output, host->options()).told; };
    write_whole_file(binary, bytes.substr(0, bytes.size() / 2));
    CHECK(told().code != ORT_OK && told().text.find(host->binary("m")) != std::string::npos);
    write_whole_file(binary, "something else");
    CHECK(told().code != ORT_OK);
    unlink(binary.c_str());
    CHECK(told().code != ORT_OK && told().text.find(host->binary("m")) != std::string::npos);
    write_whole_file(binary, bytes);
    CHECK(told().is_ok());
  }
}

TEST(ortc_ep_contexts, loads_contexts_that_ortc_put_into_bodies) {
  const HostRuntime* host = real_onnx_runtime();
  if (host == nullptr) return;  // said already
  const std::string folder = fresh_folder("ours_in_bodies");
  write_whole_file(folder + "m.onnx", branching_model());
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CHECK(options.set("ep.aot.excluded_operators", "If").is_ok());
  CHECK(options.set("ep.context_enable", "1").is_ok());
  CHECK(options.set("ep.context_file_path", folder + "m_ctx.onnx").is_ok());
  CHECK(make_model(environment, file_source(folder + "m.onnx"), options).is_ok());
  const auto model = import_model_file(folder + "m_ctx.onnx", {}).value();
  CHECK(ep_context_nodes(*model->graph).size() >= 3);
  for (unsigned seed : {1u, 2u, 3u, 4u}) {
    const Tensor x = floats({3, 8}, seed);
    const auto session = host->load(folder + "m_ctx.onnx", host->options({}, false));
    CHECK(all_near(host->run(session, {x}), expected_of(branching_model(), {x}), 1e-5, 1e-6));
  }
}

TEST(ortc_ep_contexts, protects_the_binary_of_another_model) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("other_", host->label()));
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false).is_ok());
    CHECK_EQ(rename((folder + "m_ctx.onnx").c_str(), (folder + "kept.onnx").c_str()), 0);
    const std::string binary = read_whole_file(folder + host->binary("m"));
    write_whole_file(folder + "m.onnx", small_network(40, 2));
    const Told told = host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false);
    CHECK(told.code != ORT_OK && told.text.find("kept.onnx") != std::string::npos);
    CHECK(read_whole_file(folder + host->binary("m")) == binary);
  }
}

TEST(ortc_ep_contexts, stand_beside_those_of_a_provider_that_the_host_has) {
  const HostRuntime& host = *host_runtimes().front();
  const std::string folder = fresh_folder("beside");
  GraphBuilder g;
  const ValueId in = g.input("x", DType::kFloat32, {-1, 64});
  const ValueId a = g.random_floats("a", {64, 64}, 5), b = g.random_floats("b", {64, 64}, 6);
  const ValueId h = g.node("Relu", {g.node("MatMul", {in, a}, {"p"})[0]}, {"h"})[0];
  g.output(g.node("MatMul", {h, b}, {"y"})[0]);
  const std::string model = g.model_bytes();
  write_whole_file(folder + "m.onnx", model);
  const auto both = [&](KeyValues entries) {
    entries["excluded_operators"] = "Relu";
    auto options = host.options(entries, /*whole=*/false);
    CHECK(host.told(host.api().SessionOptionsAppendExecutionProvider(options.get(), "AOT", nullptr,
                                                                     nullptr, 0))
              .is_ok());
    return options;
  };
  const std::string output = folder + "m_ctx.onnx";
  const KeyValues entries = {{"ep.context_enable", "1"}, {"ep.context_file_path", output}};
  const Tensor x = floats({2, 64}, 3);
  CHECK(host.load(folder + "m.onnx", both(entries)).told.is_ok());
  CHECK_EQ(access((folder + host.binary("m")).c_str(), F_OK), 0);
  CHECK_EQ(access((folder + "m_aot.bin").c_str(), F_OK), 0);
  CHECK(all_near(host.run(host.load(output, both({})), {x}), expected_of(model, {x}), 1e-5, 1e-6));
}

// The library has written it when the runtime hears of it.
TEST(ortc_ep_contexts, take_no_name_that_another_file_of_the_model_has) {
  const HostRuntime& host = *host_runtimes().front();
  const std::string folder = fresh_folder("same_name");
  write_whole_file(folder + "m.onnx", small_network());
  const KeyValues entries = {
      {"ep.context_enable", "1"},
      {"ep.context_file_path", folder + "m_ctx.onnx"},
      {"ep.context_model_external_initializers_file_name", host.binary("m")}};
  const Told told = host.load(folder + "m.onnx", host.options(entries, /*whole=*/false)).told;
  CHECK(told.has(ORT_FAIL, host.binary("m")));
  CHECK(access((folder + "m_ctx.onnx").c_str(), F_OK) != 0);
}

TEST(ortc_ep_contexts, leaves_no_binary_behind_when_the_host_makes_no_node) {
  const HostRuntime& host = *host_runtimes().front();
  const HostRuntime failing(*OrtcGetApiBase(), "ortc", "FailingExecutionProvider", ORTC_ODD_HOST);
  const std::string folder = fresh_folder("no_node");
  const std::string binary = folder + host.binary("m"), output = folder + "m_ctx.onnx";
  write_whole_file(folder + "m.onnx", small_network());
  for (const bool embed : {false, true}) {
    const Told told = failing.compile(folder + "m.onnx", output, embed);
    CHECK(told.has(ORT_FAIL, "this host makes no nodes"));
    CHECK(access(binary.c_str(), F_OK) != 0);
    CHECK(access((folder + "m_failing.bin").c_str(), F_OK) != 0);
  }
  // One that is there stays as it is, with its model.
  CHECK(host.compile(folder + "m.onnx", output, false).is_ok());
  const std::string bytes = read_whole_file(binary), model = read_whole_file(output);
  write_whole_file(folder + "m.onnx", small_network(40, 2));
  CHECK(failing.compile(folder + "m.onnx", output, false).code != ORT_OK);
  CHECK(read_whole_file(binary) == bytes);
  CHECK(read_whole_file(output) == model);
}

TEST(ortc_ep_contexts, judges_what_a_model_was_compiled_for) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("judged_", host->label()));
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false).is_ok());
    const auto model = import_model_file(folder + "m_ctx.onnx", {}).value();
    const std::string* info = model->metadata_value("ep_compatibility_info." + host->ep());
    CHECK(info != nullptr && !info->empty());
    OrtCompiledModelCompatibility verdict{};
    const auto judge = [&](const std::string& text) {
      const OrtEpDevice* const device = host->device();
      CHECK(host->told(host->api().GetModelCompatibilityForEpDevices(&device, 1, text.c_str(),
                                                                     &verdict))
                .is_ok());
      return verdict;
    };
    CHECK_EQ(judge(*info), OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL);
    CHECK_EQ(judge("something else"), OrtCompiledModelCompatibility_EP_NOT_APPLICABLE);
  }
}
