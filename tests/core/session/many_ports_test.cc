// SPDX-License-Identifier: MIT
// Models of thousands of inputs and outputs: a run's time grows with their number, not faster.
#include "core/platform/clock.h"
#include "tests/core/session/values_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

int64_t run_time(const Session& session, const std::vector<Tensor>& inputs) {
  std::vector<std::string_view> input_names, output_names;
  for (const Port& port : session.inputs()) input_names.push_back(port.name);
  for (const Port& port : session.outputs()) output_names.push_back(port.name);
  std::vector<Tensor> outputs(output_names.size());
  CHECK_OK(session.run(input_names, inputs, output_names, outputs));
  int64_t least = INT64_MAX;
  for (int round = 0; round < 5; ++round) {
    const int64_t begin = now_ns();
    CHECK_OK(session.run(input_names, inputs, output_names, outputs));
    least = std::min(least, now_ns() - begin);
  }
  return least;
}

}  // namespace

TEST(many_ports, outputs_whose_shapes_depend_on_data_cost_each_the_same) {
  const auto time_of = [](int count) {
    GraphBuilder g;
    const ValueId which = g.node("NonZero", {g.input("x", DType::kFloat32, {-1})}, {"which"})[0];
    for (int i = 0; i < count; ++i) {
      const ValueId number = g.int64s(str_cat("c", i), {}, {i});
      g.output(g.node("Add", {which, number}, {str_cat("y", i)})[0]);
    }
    g.infer();
    return run_time(*open_graph(g), {floats({2}, {1, 2})});
  };
  CHECK(time_of(16'000) < 80 * time_of(1000));
}
