// SPDX-License-Identifier: MIT
// The sample library of a virtual NPU with layout=nhwc: programs, kernels and compiled models of
// channels-last images.
#include <sys/stat.h>

#include "tests/api/plugin/layout_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Npu {
  explicit Npu(bool has_kernels = false) : env(quiet_env()), with_kernels(has_kernels) {
    CHECK(add_library(env, "npu.virtual", ORTC_NPU_LIBRARY).is_ok());
  }
  Options options() const {
    Options made = options_of(env, kNpuEp);
    set_entry(made, kLayoutOption, "nhwc");
    if (with_kernels) set_entry(made, "ep.virtualnpuexecutionprovider.kernels", "1");
    set_entry(made, "session.record_ep_graph_assignment_info", "1");
    return made;
  }
  OwnSession session(const std::string& model) const {
    OwnSession made;
    CHECK(make_session(env, model, options(), &made).is_ok());
    return made;
  }
  // The path of the compiled model.
  std::string compile(const std::string& model, const std::string& folder_name,
                      bool embed = false) const {
    const std::string folder = temp_dir() + "/" + folder_name;
    CHECK_EQ(mkdir(folder.c_str(), 0700), 0);
    write_whole_file(folder + "/m.onnx", model);
    OrtModelCompilationOptions* made = nullptr;
    CHECK(Outcome(
              OrtCreateModelCompilationOptionsFromSessionOptions(env.get(), options().get(), &made))
              .is_ok());
    const std::string source = folder + "/m.onnx", output = folder + "/m_ctx.onnx";
    CHECK(Outcome(OrtModelCompilationOptions_SetInputModelPath(made, source.c_str())).is_ok());
    CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(made, output.c_str())).is_ok());
    CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(made, embed)).is_ok());
    CHECK(Outcome(OrtCompileModel(env.get(), made)).is_ok());
    OrtReleaseModelCompilationOptions(made);
    return output;
  }
  Env env;
  bool with_kernels;
};

OwnSession on_the_cpu(const Env& env, const std::string& model) {
  OrtSessionOptions* made = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&made)).is_ok());
  const Options options(made);
  OwnSession session;
  CHECK(make_session(env, model, options, &session).is_ok());
  return session;
}

// A program that pools a constant of [2^20, 0, 0, 2^20] with pads of 2048: the result would have
// 2^64 numbers, which is 0 in a size_t.
std::string program_of_a_huge_result() {
  const std::vector<uint32_t> words = {
      2, 3, 1, 0,       1, 2,                          // version, values, input, output
      1, 1, 4, 1 << 20, 0, 0, 0, 0, 0, 1 << 20, 0, 0,  // the constant
      1, 5, 1, 1,       2, 1, 0, 0, 0, 0};             // MaxPool; the window is for step 0
  std::vector<int64_t> window = {1, 1, 1, 1, 1, 1, 1, 2048, 2048, 2048, 2048};
  std::string bytes = "VNPU";
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
  return bytes.append(reinterpret_cast<const char*>(window.data()),
                      window.size() * sizeof(int64_t));
}

// y is of rank 4.
std::string model_of_program(const std::string& program) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1});
  g.output(
      g.node("EPContext", {x}, {"y"},
             {Attribute::of_int("main_context", 1), Attribute::of_int("embed_mode", 1),
              Attribute::of_string("ep_cache_context", program),
              Attribute::of_string("partition_name", "p"), Attribute::of_string("source", kNpuEp)},
             "com.microsoft")[0]);
  return g.model_bytes();
}

}  // namespace

TEST(virtual_npu_layout, computes_images_whose_channels_are_last) {
  const Npu npu;
  const OwnSession session = npu.session(chain_model());
  CHECK_EQ(nodes_of(session.get(), kNpuEp), "Transpose Conv Relu Add MaxPool Conv Transpose ");
  CHECK_EQ(nodes_of(session.get(), "CPUExecutionProvider"), "");
  CHECK(agree(session.get(), on_the_cpu(npu.env, chain_model()).get(), kChainDims));
}

TEST(virtual_npu_layout, leaves_convolutions_that_it_cannot_compute_as_they_are) {
  const Npu npu;
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 3, 9});
  const ValueId w = g.random_floats("w", {2, 3, 3}, 5);
  g.output(g.relu(g.node("Conv", {x, w}, {"one_axis"})[0], "y"));
  const OwnSession session = npu.session(g.model_bytes());
  CHECK_EQ(nodes_of(session.get(), "CPUExecutionProvider"), "Conv ");
  CHECK(agree(session.get(), on_the_cpu(npu.env, g.model_bytes()).get(), {1, 3, 9}));
}

TEST(virtual_npu_layout, leaves_a_transpose_of_five_axes_to_the_cpu) {
  const Npu npu;
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 2, 3, 4, 5});
  g.output(g.relu(g.turn(x, "turned", {4, 3, 2, 1, 0}), "y"));
  const OwnSession session = npu.session(g.model_bytes());
  CHECK_EQ(nodes_of(session.get(), "CPUExecutionProvider"), "Transpose ");
  CHECK(agree(session.get(), on_the_cpu(npu.env, g.model_bytes()).get(), {1, 2, 3, 4, 5}));
}

TEST(virtual_npu_layout, runs_from_its_compiled_model) {
  const Npu npu;
  const std::string context = read_whole_file(npu.compile(chain_model(), "context"));
  CHECK(context.find("EPContext") != std::string::npos);
  CHECK_EQ(context.find("com.ms.internal.nhwc"), std::string::npos);
  OrtSession* made = nullptr;
  const std::string path = temp_dir() + "/context/m_ctx.onnx";
  CHECK(Outcome(OrtCreateSession(npu.env.get(), path.c_str(), npu.options().get(), &made)).is_ok());
  const OwnSession session(made);
  CHECK_EQ(nodes_of(session.get(), kNpuEp), "EPContext ");
  CHECK(agree(session.get(), on_the_cpu(npu.env, chain_model()).get(), kChainDims));
}

TEST(virtual_npu_layout, refuses_damaged_programs) {
  const Npu npu;
  const std::string good = read_whole_file(npu.compile(chain_model(), "damaged", true));
  const size_t begin = good.find("VNPU");
  CHECK(begin != std::string::npos);
  // A failure or other numbers, never more: the steps and their windows stand at the end.
  size_t refused = 0;
  for (size_t i = begin; i < begin + 2400 && i < good.size(); i += i < begin + 60 ? 1 : 3) {
    std::string damaged = good;
    damaged[i] ^= '\x55';
    OwnSession session;
    if (make_session(npu.env, damaged, npu.options(), &session).code != ORT_OK) {
      ++refused;
      continue;
    }
    std::vector<float> y;
    (void)run_floats(session.get(), image_numbers(kChainDims), &y, kChainDims);
  }
  CHECK(refused > 20);
  OwnSession session;
  CHECK(make_session(npu.env, model_of_program(program_of_a_huge_result()), npu.options(), &session)
            .is_ok());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1}, &y).has(ORT_INVALID_GRAPH, "a tensor that is too large"));
}

TEST(virtual_npu_layout, has_kernels_for_single_nodes) {
  const Npu npu(true);
  const OwnSession session = npu.session(chain_model());
  CHECK_EQ(nodes_of(session.get(), kNpuEp), "Conv Relu Add MaxPool Conv ");
  CHECK_EQ(nodes_of(session.get(), "CPUExecutionProvider"), "Transpose Transpose ");
  CHECK(agree(session.get(), on_the_cpu(npu.env, chain_model()).get(), kChainDims));
}

TEST(virtual_npu_layout, single_nodes_are_written_as_onnx_has_them) {
  const Npu npu(true);
  const std::string written = read_whole_file(npu.compile(chain_model(), "kernels"));
  CHECK_EQ(written.find("com.ms.internal.nhwc"), std::string::npos);
  const OwnSession expected = on_the_cpu(npu.env, chain_model());
  CHECK(agree(on_the_cpu(npu.env, written).get(), expected.get(), kChainDims));
  const OwnSession again = npu.session(written);
  CHECK_EQ(nodes_of(again.get(), kNpuEp), "Conv Relu Add MaxPool Conv ");
  CHECK_EQ(nodes_of(again.get(), "CPUExecutionProvider"), "Transpose Transpose ");
  CHECK(agree(again.get(), expected.get(), kChainDims));
}
