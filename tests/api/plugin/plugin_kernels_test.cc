// SPDX-License-Identifier: MIT
// Nodes that a library's provider claims one by one, because it has registered kernels for them.
#include <cmath>
#include <filesystem>
#include <thread>

#include "ort_c/ort_api.h"
#include "tests/api/plugin/kernel_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<float> run(OrtSession* session, const std::vector<float>& x = kSignedX,
                       const std::vector<int64_t>& dims = {}) {
  std::vector<float> y;
  CHECK(run_floats(session, x, &y, dims).is_ok());
  return y;
}

OwnSession recorded(const KernelSetting& setting, const std::string& model,
                    const Options& options) {
  set_entry(options, "session.record_ep_graph_assignment_info", "1");
  OwnSession session;
  CHECK(make_session(setting.env, model, options, &session).is_ok());
  return session;
}

// A kernel for Mul of float32 by the parameter "T", of these versions.
OrtKernelDef* mul_def(int first, int last) {
  const OrtEpApi& table = ep_api();
  OrtKernelDefBuilder* builder = nullptr;
  OrtKernelDef* def = nullptr;
  const OrtDataType* type = nullptr;
  CHECK(Outcome(table.CreateKernelDefBuilder(&builder)).is_ok());
  CHECK(Outcome(table.GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &type)).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetOperatorType(builder, "Mul")).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetDomain(builder, "ai.onnx")).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetSinceVersion(builder, first, last)).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetExecutionProvider(builder, "SomeEp")).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_AddTypeConstraint(builder, "T", &type, 1)).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetInputMemType(builder, 1, OrtMemTypeCPUInput)).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_SetOutputMemType(builder, 0, OrtMemTypeCPUOutput)).is_ok());
  CHECK(Outcome(table.KernelDefBuilder_Build(builder, &def)).is_ok());
  table.ReleaseKernelDefBuilder(builder);
  return def;
}

OrtStatus* never(void*, const OrtKernelInfo*, OrtKernelImpl**) { return nullptr; }

}  // namespace

TEST(plugin_kernels, definitions_tell_what_they_were_told) {
  const OrtEpApi& table = ep_api();
  OrtKernelDef* def = mul_def(7, 13);
  CHECK_EQ(std::string(table.KernelDef_GetOperatorType(def)), "Mul");
  CHECK_EQ(std::string(table.KernelDef_GetDomain(def)), "");
  CHECK_EQ(std::string(table.KernelDef_GetExecutionProvider(def)), "SomeEp");
  int first = 0, last = 0;
  CHECK(Outcome(table.KernelDef_GetSinceVersion(def, &first, &last)).is_ok());
  CHECK_EQ(first, 7);
  CHECK_EQ(last, 13);
  OrtMemType type = OrtMemTypeDefault;
  CHECK(Outcome(table.KernelDef_GetInputMemType(def, 1, &type)).is_ok());
  CHECK_EQ(type, OrtMemTypeCPUInput);
  CHECK(Outcome(table.KernelDef_GetInputMemType(def, 0, &type)).is_ok());
  CHECK_EQ(type, OrtMemTypeDefault);
  CHECK(Outcome(table.KernelDef_GetOutputMemType(def, 0, &type)).is_ok());
  CHECK_EQ(type, OrtMemTypeCPUOutput);
  table.ReleaseKernelDef(def);
}

TEST(plugin_kernels, a_registry_refuses_kernels_for_the_same_nodes) {
  const OrtEpApi& table = ep_api();
  OrtKernelRegistry* registry = nullptr;
  CHECK(Outcome(table.CreateKernelRegistry(&registry)).is_ok());
  OrtKernelDef *early = mul_def(7, 13), *late = mul_def(14, 14), *both = mul_def(13, 20);
  CHECK(Outcome(table.KernelRegistry_AddKernel(registry, early, never, nullptr)).is_ok());
  CHECK(Outcome(table.KernelRegistry_AddKernel(registry, late, never, nullptr)).is_ok());
  CHECK(Outcome(table.KernelRegistry_AddKernel(registry, both, never, nullptr))
            .has(ORT_FAIL, "registered already"));
  for (OrtKernelDef* def : {early, late, both}) table.ReleaseKernelDef(def);
  table.ReleaseKernelRegistry(registry);
}

TEST(plugin_kernels, run_single_nodes_and_leave_the_rest) {
  const KernelSetting setting;
  const OwnSession session = recorded(setting, mul_add_relu_neg(), setting.options());
  CHECK(run(session.get()) == std::vector<float>({-3, -0.0f, -9, -0.0f}));
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Mul Add Relu ");
  CHECK_EQ(kernel_number("computed"), 3);
}

TEST(plugin_kernels, are_for_their_types_and_versions_only) {
  const KernelSetting setting;
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const auto to_double = [&](ValueId id, const char* name) {
    return g.node("Cast", {id}, {name}, {Attribute::of_int("to", 11)})[0];
  };
  const ValueId wide = to_double(x, "wide");
  const ValueId product = g.node("Mul", {wide, wide}, {"product"})[0];
  const ValueId sum = g.node("Add", {product, wide}, {"sum"})[0];
  g.output(g.node("Cast", {sum}, {"y"}, {Attribute::of_int("to", 1)})[0]);
  const OwnSession doubles = recorded(setting, g.model_bytes(), setting.options());
  CHECK_EQ(nodes_of(doubles.get(), kKernelEp), "");
  CHECK(run(doubles.get()) == std::vector<float>({2, 2, 12, 12}));

  GraphBuilder old(13);  // whose Relu is that of version 13, where the library has version 14
  old.output(old.node("Relu", {old.input("x", DType::kFloat32, {4})}, {"y"})[0]);
  const OwnSession before = recorded(setting, old.model_bytes(), setting.options());
  CHECK_EQ(nodes_of(before.get(), kKernelEp), "");
  CHECK(run(before.get()) == std::vector<float>({1, 0, 3, 0}));
}

TEST(plugin_kernels, read_a_value_twice_and_inputs_that_are_left_out) {
  const KernelSetting setting;
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  g.output(g.node("Mul", {x, x}, {"y"})[0]);
  const OwnSession session = recorded(setting, g.model_bytes(), setting.options());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Mul ");
  CHECK(run(session.get()) == std::vector<float>({1, 4, 9, 16}));
}

TEST(plugin_kernels, pack_constants_of_their_own) {
  const KernelSetting setting;
  const int before = kernel_number("packed");
  OwnSession session;
  CHECK(setting.try_session(mul_add_relu_neg({3, 3, 3, 3}), "", &session).is_ok());
  CHECK_EQ(kernel_number("packed"), before + 1);
  CHECK_EQ(kernel_number("shared"), 0);
  CHECK(run(session.get(), {1, 1, 1, 1}) == std::vector<float>({-4, -4, -4, -4}));
}

TEST(plugin_kernels, share_packed_constants_that_are_equal) {
  const KernelSetting setting;
  OrtPrepackedWeightsContainer* container = nullptr;
  CHECK(Outcome(OrtCreatePrepackedWeightsContainer(&container)).is_ok());
  OwnSession sessions[3];
  for (int i = 0; i < 3; ++i) {
    const Options options = setting.options();
    set_entry(options, "ep.kernellibraryep.shares", "1");
    const std::string model =
        mul_add_relu_neg(i < 2 ? std::vector<float>{5, 5, 5, 5} : std::vector<float>{6, 6, 6, 6});
    OrtSession* made = nullptr;
    CHECK(
        Outcome(OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
                    setting.env.get(), model.data(), model.size(), options.get(), container, &made))
            .is_ok());
    sessions[i].reset(made);
  }
  OrtReleasePrepackedWeightsContainer(container);
  CHECK_EQ(kernel_number("shared"), 3);
  CHECK(run(sessions[0].get(), {1, 1, 1, 1}) == std::vector<float>({-6, -6, -6, -6}));
  sessions[0].reset();
  CHECK(run(sessions[1].get(), {1, 1, 1, 1}) == std::vector<float>({-6, -6, -6, -6}));
  CHECK(run(sessions[2].get(), {1, 1, 1, 1}) == std::vector<float>({-7, -7, -7, -7}));
}

TEST(plugin_kernels, of_if_have_bodies_that_the_runtime_runs) {
  const KernelSetting setting;
  const OwnSession session = recorded(setting, if_model(), setting.options());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Mul Relu If ");
  CHECK(run(session.get(), {1, 2, 3, 4}) == std::vector<float>({3, 6, 9, 12}));
  CHECK(run(session.get(), {1, -2, 3, -4}) == std::vector<float>({1, 0, 3, 0}));
}

TEST(plugin_kernels, of_loop_join_the_results_of_all_iterations) {
  const KernelSetting setting;
  const OwnSession session = recorded(setting, loop_model(), setting.options());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Mul Loop ");
  const int before = kernel_number("concatenated");
  CHECK(run(session.get()) == std::vector<float>({0, -0.0f, 0, -0.0f, 1, -2, 3, -4, 2, -4, 6, -8}));
  CHECK_EQ(kernel_number("concatenated"), before + 1);
}

TEST(plugin_kernels, of_scan_turn_what_is_scanned_along_another_axis) {
  const KernelSetting setting;
  const OwnSession session = recorded(setting, scan_model(), setting.options());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Add Scan ");
  const int before = kernel_number("transposed");
  CHECK(run(session.get(), {1, 2, 3, 4, 5, 6}, {2, 3}) == std::vector<float>({1, 3, 6, 4, 9, 15}));
  CHECK_EQ(kernel_number("transposed"), before + 2);
}

TEST(plugin_kernels, run_on_many_threads_at_once) {
  const KernelSetting setting;
  for (const char* fault : {"", "turns"}) {
    OwnSession session;
    CHECK(setting.try_session(mul_add_relu_neg(), fault, &session).is_ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          CHECK(run(session.get()) == std::vector<float>({-3, -0.0f, -9, -0.0f}));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(plugin_kernels, stay_in_a_compiled_model_as_they_are_and_are_claimed_again) {
  const KernelSetting setting;
  const std::string folder = temp_dir() + "/single", path = folder + "/model.onnx";
  std::filesystem::create_directories(folder);
  write_whole_file(path, mul_add_relu_neg());
  const std::string output = folder + "/compiled.onnx";
  const Options options = setting.options();
  OrtModelCompilationOptions* compile = nullptr;
  CHECK(Outcome(OrtCreateModelCompilationOptionsFromSessionOptions(setting.env.get(), options.get(),
                                                                   &compile))
            .is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetInputModelPath(compile, path.c_str())).is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(compile, output.c_str())).is_ok());
  CHECK(Outcome(OrtCompileModel(setting.env.get(), compile)).is_ok());
  OrtReleaseModelCompilationOptions(compile);
  CHECK_EQ(kernel_number("computed"), 0);
  const std::string written = read_whole_file(output);
  for (const char* op : {"Mul", "Add", "Relu"}) CHECK(written.find(op) != std::string::npos);
  CHECK(written.find("EPContext") == std::string::npos);
  const OwnSession session = recorded(setting, written, setting.options());
  CHECK_EQ(nodes_of(session.get(), kKernelEp), "Mul Add Relu ");
  CHECK(run(session.get()) == std::vector<float>({-3, -0.0f, -9, -0.0f}));
}

TEST(plugin_kernels, end_before_their_registry_and_their_library) {
  {
    const KernelSetting setting;
    const int before = kernel_number("alive");
    OwnSession session;
    for (const std::string& model : {mul_add_relu_neg(), if_model(), loop_model(), scan_model()}) {
      CHECK(setting.try_session(model, "", &session).is_ok());
    }
    session.reset();
    CHECK_EQ(kernel_number("alive"), before);
  }
  CHECK_EQ(kernel_number("alive"), -1);
}
