// SPDX-License-Identifier: MIT
// libortc_ep.so in a runtime: what it claims runs, with the bits that ortc itself gives.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "core/context/context_source.h"
#include "core/session/stages.h"
#include "ort_c/ort_api.h"
#include "ort_c/ort_c.h"
#include "tests/ortc_ep/host_runtime.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<Tensor> run_in_ortc(const ModelSource& source, const std::vector<Tensor>& inputs) {
  const auto environment = quiet_environment();
  const auto made = make_model(environment, source, options_with(*environment, {"AOT"}));
  if (!made.is_ok()) fprintf(stderr, "%s\n", made.status().to_string().c_str());
  CHECK(made.is_ok());
  return run_all(*made->session, inputs);
}

std::vector<Tensor> run_in_ortc(const std::string& path, const std::vector<Tensor>& inputs) {
  return run_in_ortc(file_source(path), inputs);
}

// What a session of ortc's own AOT provider gives.
std::vector<Tensor> expected_of(const std::string& model, const std::vector<Tensor>& inputs) {
  return run_in_ortc(memory_source(model), inputs);
}

std::vector<Port> ports_of(const std::string& model) {
  const auto environment = quiet_environment();
  return make_model(environment, memory_source(model), options_with(*environment, {"AOT"}))
      .value()
      .session->facts()
      .ports.inputs;
}

Tensor floats(Dims dims, unsigned seed) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  const auto numbers = random_numbers(static_cast<size_t>(count), seed);
  return Tensor::from<float>(std::move(dims), numbers);
}

// Three nodes, one fused step.
std::string matmul_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
  const ValueId w = g.random_floats("w", {8, 5}, 1);
  const ValueId b = g.random_floats("b", {5}, 2);
  const ValueId product = g.node("MatMul", {x, w}, {"product"})[0];
  const ValueId sum = g.node("Add", {product, b}, {"sum"})[0];
  g.output(g.node("Relu", {sum}, {"y"})[0]);
  return g.model_bytes();
}

}  // namespace

TEST(ortc_ep, runs_a_fused_matmul_in_its_host) {
  const std::string model = matmul_model();
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(model, host->options());
    for (int64_t batch : {1, 3, 1}) {
      const Tensor x = floats({batch, 8}, static_cast<unsigned>(batch));
      CHECK(same_bits(host->run(session, {x}), expected_of(model, {x})));
    }
  }
}

namespace {

// Two products with a piece between them that is left to the host.
std::string divided_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
  const ValueId w = g.random_floats("w", {8, 8}, 1);
  const ValueId v = g.random_floats("v", {8, 4}, 2);
  const ValueId product = g.node("MatMul", {x, w}, {"product"})[0];
  const ValueId middle = g.node("Tanh", {product}, {"middle"})[0];
  g.output(g.node("MatMul", {middle, v}, {"y"})[0]);
  return g.model_bytes();
}

std::shared_ptr<Graph> branch(Graph& parent, const std::string& op) {
  GraphBuilder body(17, &parent);
  const ValueId x = body.graph().capture(parent.find_value("x")->id).value();
  const ValueId w = body.graph().capture(parent.find_value("w")->id).value();
  const ValueId product = body.node("MatMul", {x, w}, {op + "_product"})[0];
  body.output(body.node(op, {product}, {op + "_result"})[0]);
  return body.shared();
}

// y = sum(x) > 0 ? relu(x w) : tanh(x w), of three rows.
std::string branching_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {3, 8});
  g.random_floats("w", {8, 8}, 3);
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  std::vector<Attribute> branches = {graph_attribute("then_branch", branch(g.graph(), "Relu")),
                                     graph_attribute("else_branch", branch(g.graph(), "Tanh"))};
  g.output(g.node("If", {is_positive}, {"y"}, std::move(branches))[0]);
  return g.model_bytes();
}

std::string fresh_folder(const std::string& name) {
  const std::string folder = temp_dir() + "/" + name;
  CHECK_EQ(mkdir(folder.c_str(), 0700), 0);
  return folder + "/";
}

}  // namespace

TEST(ortc_ep, leaves_to_the_host_what_its_options_exclude) {
  const std::string model = divided_model();
  const Tensor x = floats({5, 8}, 1);
  for (const auto& host : host_runtimes()) {
    const KeyValues options = {{"excluded_operators", "Tanh"}};
    const auto session = host->load_bytes(model, host->options(options, /*whole=*/false));
    CHECK(all_near(host->run(session, {x}), expected_of(model, {x}), 1e-5, 1e-6));
    CHECK(host->load_bytes(model, host->options(options)).told.code != ORT_OK);
  }
}

TEST(ortc_ep, takes_an_if_with_both_branches_whole) {
  const std::string model = branching_model();
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(model, host->options());
    for (unsigned seed : {1u, 2u, 3u, 4u}) {
      const Tensor x = floats({3, 8}, seed);
      CHECK(same_bits(host->run(session, {x}), expected_of(model, {x})));
    }
  }
}

TEST(ortc_ep, refuses_options_that_the_provider_does_not_know) {
  for (const auto& host : host_runtimes()) {
    const auto load = [&](const KeyValues& options) {
      return host->load_bytes(matmul_model(), host->options(options)).told;
    };
    CHECK(load({{"targt", "host"}}).text.find("targt") != std::string::npos);
    CHECK(load({{"target", "x86-64-v9"}}).text.find("x86-64-v9") != std::string::npos);
    CHECK(load({{"intra_op_num_threads", "many"}}).text.find("many") != std::string::npos);
    CHECK(load({{"intra_op_num_threads", "1"}, {"target", "host"}}).is_ok());
  }
}

TEST(ortc_ep, writes_a_context_model_while_a_session_is_made) {
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
      CHECK_EQ(access((folder + "m_aot.bin").c_str(), F_OK) == 0, !embed);
      CHECK(same_bits(host->run(host->load(output, host->options()), {x}), expected));
    }
  }
}

TEST(ortc_ep, compiles_by_the_compile_api_to_a_file_and_to_memory) {
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
      CHECK_EQ(access((folder + "out_aot.bin").c_str(), F_OK) == 0, !embed);
      if (!embed) continue;
      std::string bytes;
      CHECK(host->compile(source, "", embed, {}, &bytes).is_ok());
      CHECK(same_bits(host->run(host->load_bytes(bytes, host->options()), {x}), expected));
    }
  }
}

TEST(ortc_ep, writes_compressed_contexts) {
  const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("zstd_", host->label()));
    const std::string output = folder + "m_ctx.onnx";
    write_whole_file(folder + "m.onnx", small_network());
    const KeyValues entries = {{"ep.context_compression", "zstd:9"}};
    CHECK(host->compile(folder + "m.onnx", output, false, entries).is_ok());
    CHECK(same_bits(host->run(host->load(output, host->options()), {x}),
                    expected_of(small_network(), {x})));
    const std::string binary = read_whole_file(folder + "m_aot.bin");
    CHECK(binary.find("\x28\xb5\x2f\xfd") != std::string::npos);  // a frame of zstd
  }
}

// Both ways: what ONNX Runtime wrote with the library runs in ortc, and the other way round.
TEST(ortc_ep, exchanges_compiled_models_with_ortc) {
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

// Parts of several nodes, of which one has the contents and the others find it.
TEST(ortc_ep, exchanges_models_of_several_parts) {
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

TEST(ortc_ep, shares_one_binary_among_the_models_of_a_group) {
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
    CHECK_EQ(stat((folder + "first_aot.bin").c_str(), &facts), 0);
    CHECK(facts.st_size < 256 * 256 * 4 * 3 / 2);  // the weight is there once
    CHECK(access((folder + "second_aot.bin").c_str(), F_OK) != 0);
    const Tensor in = floats({2, 256}, 7);
    for (const std::string name : {"first", "second"}) {
      const auto session =
          host->load(folder + name + "_ctx.onnx", host->options({{"ep.share_ep_contexts", "1"}}));
      CHECK(same_bits(host->run(session, {in}),
                      expected_of(read_whole_file(folder + name + ".onnx"), {in})));
    }
  }
}

// ortc as a host has groups of its own, which say so first.
TEST(ortc_ep, refuses_a_group_in_two_folders) {
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
  CHECK(access((here + "a_aot.bin").c_str(), F_OK) != 0);
  CHECK(told(here + "c_ctx.onnx", true).is_ok());  // the group is still open
  CHECK_EQ(access((here + "a_aot.bin").c_str(), F_OK), 0);
}

TEST(ortc_ep, compiles_for_processors_of_other_kinds) {
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

TEST(ortc_ep, leaves_context_nodes_of_others_alone) {
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

// The functions are ortc's own names; ONNX Runtime has them among its experimental ones.
TEST(ortc_ep, hands_context_data_to_the_program_and_takes_them_back) {
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
  CHECK(access((folder + "m_aot.bin").c_str(), F_OK) != 0);
  CHECK_EQ(given_data.count("m_aot.bin"), 1u);
  const auto loading = host.options();
  CHECK(host.told(OrtSessionOptionsSetEpContextDataReadFunc(loading.get(), give_data, nullptr))
            .is_ok());
  const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
  CHECK(same_bits(host.run(host.load(output, loading), {x}), expected_of(small_network(), {x})));
}

TEST(ortc_ep, says_what_is_wrong_with_a_context) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("broken_", host->label()));
    const std::string binary = folder + "m_aot.bin", output = folder + "m_ctx.onnx";
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", output, false).is_ok());
    const std::string bytes = read_whole_file(binary);
    const auto told = [&] { return host->load(output, host->options()).told; };
    write_whole_file(binary, bytes.substr(0, bytes.size() / 2));
    CHECK(told().code != ORT_OK && told().text.find("m_aot.bin") != std::string::npos);
    write_whole_file(binary, "something else");
    CHECK(told().code != ORT_OK);
    unlink(binary.c_str());
    CHECK(told().code != ORT_OK && told().text.find("m_aot.bin") != std::string::npos);
    write_whole_file(binary, bytes);
    CHECK(told().is_ok());
  }
}

TEST(ortc_ep, takes_what_it_can_of_a_body_whose_owner_stays_with_the_host) {
  const Tensor x = floats({3, 8}, 2);
  for (const auto& host : host_runtimes()) {
    const KeyValues options = {{"excluded_operators", "If"}};
    const auto session = host->load_bytes(branching_model(), host->options(options, false));
    CHECK(all_near(host->run(session, {x}), expected_of(branching_model(), {x}), 1e-5, 1e-6));
    const std::string folder = fresh_folder(str_cat("bodies_", host->label()));
    write_whole_file(folder + "m.onnx", branching_model());
    const Told told = host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false, options);
    if (told.code != ORT_OK) continue;
    const auto again = host->load(folder + "m_ctx.onnx", host->options({}, false));
    CHECK(all_near(host->run(again, {x}), expected_of(branching_model(), {x}), 1e-5, 1e-6));
  }
}

// Nodes in bodies that find their contents in another graph.
TEST(ortc_ep, loads_contexts_that_ortc_put_into_bodies) {
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

TEST(ortc_ep, runs_a_session_from_several_threads) {
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(matmul_model(), host->options());
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const Tensor x = floats({static_cast<int64_t>(t) + 1, 8}, t);
        const auto expected = host->run(session, {x});
        for (int i = 0; i < 50; ++i) right += same_bits(host->run(session, {x}), expected) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(right.load(), 200);
  }
}

TEST(ortc_ep, protects_the_binary_of_another_model) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("other_", host->label()));
    write_whole_file(folder + "m.onnx", small_network());
    CHECK(host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false).is_ok());
    CHECK_EQ(rename((folder + "m_ctx.onnx").c_str(), (folder + "kept.onnx").c_str()), 0);
    const std::string binary = read_whole_file(folder + "m_aot.bin");
    write_whole_file(folder + "m.onnx", small_network(40, 2));
    const Told told = host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false);
    CHECK(told.code != ORT_OK && told.text.find("kept.onnx") != std::string::npos);
    CHECK(read_whole_file(folder + "m_aot.bin") == binary);
  }
}

TEST(ortc_ep, judges_what_a_model_was_compiled_for) {
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

TEST(ortc_ep, has_nothing_against_the_processor) {
  for (const auto& host : host_runtimes()) {
    const OrtApi& api = host->api();
    OrtDeviceEpIncompatibilityDetails* details = nullptr;
    const Told told = host->told(api.GetHardwareDeviceEpIncompatibilityDetails(
        host->env(), host->ep().c_str(), api.EpDevice_Device(host->device()), &details));
    if (told.code == ORT_NOT_IMPLEMENTED) continue;  // the host asks no provider
    CHECK(told.is_ok());
    uint32_t reasons = 1;
    CHECK(host->told(api.DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons))
              .is_ok());
    CHECK_EQ(reasons, 0u);
    api.ReleaseDeviceEpIncompatibilityDetails(details);
  }
}

namespace {

int asked_newest = 0;
const OrtApi* old_api(uint32_t version) noexcept {
  if (version > 22) asked_newest = static_cast<int>(version);
  return version > 22 ? nullptr : OrtcGetApiBase()->GetApi(ORT_API_VERSION);
}
const char* old_version() noexcept { return "1.22.1"; }
const char* odd_version() noexcept { return "a build of mine"; }

}  // namespace

TEST(ortc_ep, says_to_an_old_runtime_that_it_is_too_old) {
  void* library = dlopen(ORTC_EP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  const auto create =
      reinterpret_cast<OrtStatus* (*)(const char*, const OrtApiBase*, const OrtLogger*,
                                      OrtEpFactory**, size_t, size_t*)>(
          dlsym(library, "CreateEpFactories"));
  CHECK(create != nullptr);
  const HostRuntime& host = *host_runtimes().front();
  OrtEpFactory* factory = nullptr;
  size_t count = 7;
  const OrtApiBase old{old_api, old_version};
  CHECK(host.told(create("ortc", &old, nullptr, &factory, 1, &count))
            .has(ORT_INVALID_ARGUMENT, "1.22.1"));
  CHECK_EQ(count, 0u);
  CHECK_EQ(asked_newest, 0);  // a runtime complains of versions that it does not have
  const OrtApiBase odd{old_api, odd_version};
  CHECK(host.told(create("ortc", &odd, nullptr, &factory, 1, &count))
            .has(ORT_INVALID_ARGUMENT, "a build of mine"));
  CHECK(host.told(create("ortc", OrtcGetApiBase(), nullptr, &factory, 0, &count))
            .has(ORT_INVALID_ARGUMENT, "no room"));
  CHECK(factory == nullptr);
  dlclose(library);
}

TEST(ortc_ep, is_registered_again_and_again) {
  const Tensor x = floats({2, 8}, 1);
  for (int round = 0; round < 20; ++round) {
    const HostRuntime host(*OrtcGetApiBase(), "ortc", "ThirdAotExecutionProvider");
    CHECK_EQ(host.run(host.load_bytes(matmul_model(), host.options()), {x}).size(), 1u);
  }
}

ORTC_TEST_MAIN()
