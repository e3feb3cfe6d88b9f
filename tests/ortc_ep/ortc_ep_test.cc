// SPDX-License-Identifier: MIT
// libortc_ep.so in a runtime: what it claims runs, with the bits that ortc itself gives.
#include "core/session/stages.h"
#include "tests/ortc_ep/host_runtime.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// What a session of ortc's own AOT provider gives.
std::vector<Tensor> expected_of(const std::string& model, const std::vector<Tensor>& inputs) {
  const auto environment = quiet_environment();
  const auto session =
      make_model(environment, memory_source(model), options_with(*environment, {"AOT"})).value();
  return run_all(*session.session, inputs);
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

ORTC_TEST_MAIN()
