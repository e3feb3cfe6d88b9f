// SPDX-License-Identifier: MIT
// optimization.disable_specified_optimizers holds for what the AOT provider optimises as well.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

// Conv(Pad(x)), where a pass makes the one of the other's pads.
std::string model() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 1, 4, 4});
  const auto pads = g.int64s("pads", {8}, {0, 0, 1, 1, 0, 0, 1, 1});
  const auto padded = g.node("Pad", {x, pads}, {"padded"})[0];
  g.output(g.node("Conv", {padded, g.random_floats("w", {2, 1, 3, 3}, 1)}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

// Whether the compiled model says that it needs the kernel of Pad.
bool has_pad(const char* disabled) {
  const std::string path = temp_dir() + "/passes_ctx.onnx";
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CHECK_OK(options.set("optimization.disable_specified_optimizers", disabled));
  CHECK_OK(options.set("ep.context_enable", "1"));
  CHECK_OK(options.set("ep.context_embed_mode", "1"));
  CHECK_OK(options.set("ep.context_file_path", path));
  CHECK_OK(Session::create(environment, memory_source(model()), options));
  const std::string compiled = read_whole_file(path);
  CHECK_EQ(::remove(path.c_str()), 0);
  const size_t kernels = compiled.find("kernels=");
  CHECK(kernels != std::string::npos);
  return compiled.find("pad:", kernels) != std::string::npos;
}

}  // namespace

TEST(disabled_passes, do_not_run_in_claims_either) {
  CHECK(!has_pad(""));
  CHECK(!has_pad("gelu_fusion"));
  CHECK(has_pad("pad_fusion"));
}

}  // namespace ortc::test
