// SPDX-License-Identifier: MIT
// What crosses the border to libortc_ep.so is looked at: types that a file or a host says wrongly,
// values of the host's own keys, and hosts that work otherwise than ortc.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "ort_c/ort_api.h"
#include "ort_c/ort_c.h"
#include "tests/ortc_ep/ep_models.h"
#include "tests/ortc_ep/host_runtime.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The compiled model with other element types in its declarations.
void declare(const std::string& path, std::optional<DType> input, std::optional<DType> output) {
  const auto model = import_model_file(path, {}).value();
  Graph& graph = *model->graph;
  if (input) graph.value(graph.inputs().front())->type.dtype = *input;
  if (output) graph.value(graph.outputs().front())->type.dtype = *output;
  write_whole_file(path, bytes_of(*model));
}

}  // namespace

TEST(ortc_ep_border, refuses_a_model_that_declares_other_types_than_its_context) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("declared_", host->label()));
    const std::string source = folder + "m.onnx", output = folder + "m_ctx.onnx";
    write_whole_file(source, matmul_model());
    for (const DType wrong : {DType::kInt8, DType::kFloat64, DType::kBool}) {
      CHECK(host->compile(source, output, false).is_ok());
      declare(output, std::nullopt, wrong);
      CHECK(host->load(output, host->options())
                .told.has(ORT_INVALID_GRAPH, "expected output 0 of type float32"));
      CHECK(host->compile(source, output, false).is_ok());
      declare(output, wrong, std::nullopt);
      CHECK(host->load(output, host->options())
                .told.has(ORT_INVALID_GRAPH, "expected input 0 of type float32"));
    }
  }
}

// Also when the host has said no type before: what it gives is what counts.
TEST(ortc_ep_border, writes_into_no_value_of_another_type) {
  const HostRuntime host(*OrtcGetApiBase(), "ortc", "TypelessExecutionProvider", ORTC_ODD_HOST);
  const std::string folder = fresh_folder("typeless");
  const std::string source = folder + "m.onnx", output = folder + "m_ctx.onnx";
  for (const bool is_known : {false, true}) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {is_known ? 4 : -1, 8});
    g.output(g.node("MatMul", {x, g.random_floats("w", {8, 64}, 1)}, {"y"})[0]);
    write_whole_file(source, g.model_bytes());
    CHECK(host.compile(source, output, false).is_ok());
    declare(output, std::nullopt, DType::kInt8);
    setenv("ORTC_TEST_NO_TYPES", "1", 1);
    const auto session = host.load(output, host.options());
    unsetenv("ORTC_TEST_NO_TYPES");
    CHECK(session.told.is_ok());
    std::vector<Tensor> found;
    CHECK(host.try_run(session, {floats({4, 8}, 1)}, &found)
              .has(ORT_INVALID_GRAPH, "expected a value float32[4,64] for output 0, found int8"));
  }
}

TEST(ortc_ep_border, leaves_the_keys_of_the_host_to_the_host) {
  const HostRuntime host(*OrtcGetApiBase(), "ortc", "LaxExecutionProvider", ORTC_ODD_HOST);
  const std::string folder = fresh_folder("lax");
  write_whole_file(folder + "m.onnx", small_network());
  CHECK(host.compile(folder + "m.onnx", folder + "m_ctx.onnx", false).is_ok());
  const Tensor x = random_input(ports_of(small_network()).front(), 2, 1);
  CHECK(same_bits(host.run(host.load(folder + "m_ctx.onnx", host.options()), {x}),
                  expected_of(small_network(), {x})));
}

TEST(ortc_ep_border, says_of_a_compiled_model_that_it_is_compiled_already) {
  const HostRuntime host(*OrtcGetApiBase(), "ortc", "OtherExecutionProvider", ORTC_ODD_HOST);
  const std::string folder = fresh_folder("again");
  write_whole_file(folder + "m.onnx", small_network());
  CHECK(host.compile(folder + "m.onnx", folder + "m_ctx.onnx", false).is_ok());
  CHECK(host.load(folder + "m_ctx.onnx", host.options())
            .told.has(ORT_INVALID_ARGUMENT, "the model is compiled already"));
}

TEST(ortc_ep_border, writes_nothing_for_a_model_that_has_contexts_and_more) {
  const HostRuntime& host = *host_runtimes().front();
  const std::string folder = fresh_folder("more"), other = fresh_folder("more_elsewhere");
  write_whole_file(folder + "m.onnx", divided_model());
  CHECK(host.compile(folder + "m.onnx", folder + "m_ctx.onnx", false,
                     {{"excluded_operators", "Tanh"}})
            .is_ok());
  const KeyValues entries = {{"ep.context_enable", "1"},
                             {"ep.context_file_path", other + "n_ctx.onnx"}};
  const auto session = host.load(folder + "m_ctx.onnx", host.options(entries));
  const Tensor x = floats({2, 8}, 1);
  CHECK(all_near(host.run(session, {x}), expected_of(divided_model(), {x}), 1e-5, 1e-6));
  CHECK(std::filesystem::is_empty(other));
}

TEST(ortc_ep_border, puts_the_binary_of_a_model_in_memory_where_the_program_says) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("memory_", host->label()));
    const std::string source = folder + "m.onnx";
    write_whole_file(source, small_network());
    const OrtCompileApi& compile = *host->api().GetCompileApi();
    for (const char* name : {"stem", "other.onnx"}) {
      const auto options = host->options({}, /*whole=*/false);
      OrtModelCompilationOptions* made = nullptr;
      OrtAllocator* allocator = nullptr;
      void* block = nullptr;
      size_t size = 0;
      CHECK(host->told(compile.CreateModelCompilationOptionsFromSessionOptions(
                           host->env(), options.get(), &made))
                .is_ok());
      CHECK(host->told(host->api().GetAllocatorWithDefaultOptions(&allocator)).is_ok());
      CHECK(host->told(compile.ModelCompilationOptions_SetInputModelPath(made, source.c_str()))
                .is_ok());
      CHECK(host->told(compile.ModelCompilationOptions_SetOutputModelBuffer(made, allocator, &block,
                                                                            &size))
                .is_ok());
      CHECK(host->told(compile.ModelCompilationOptions_SetEpContextEmbedMode(made, false)).is_ok());
      CHECK(host->told(compile.ModelCompilationOptions_SetEpContextBinaryInformation(
                           made, folder.c_str(), name))
                .is_ok());
      CHECK(host->told(compile.CompileModel(host->env(), made)).is_ok());
      allocator->Free(allocator, block);
      compile.ReleaseModelCompilationOptions(made);
    }
    CHECK_EQ(access((folder + host->binary("stem")).c_str(), F_OK), 0);
    CHECK_EQ(access((folder + host->binary("other")).c_str(), F_OK), 0);
    CHECK(access((folder + host->binary("m")).c_str(), F_OK) != 0);
  }
}
