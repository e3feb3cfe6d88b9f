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
  for (int round = 0; round < 15; ++round) {
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
  CHECK(time_of(8000) < 70 * time_of(500));
}

TEST(many_ports, named_dimensions_of_inputs_cost_each_the_same) {
  const auto time_of = [](int count) {
    GraphBuilder g;
    std::vector<Tensor> inputs;
    for (int i = 0; i < count; ++i) {
      const Type type = Type::tensor(DType::kFloat32, Shape{Dim::named(str_cat("d", i))});
      const ValueId x = g.graph().add_value(str_cat("x", i), type).value();
      g.graph().add_input(x);
      g.output(g.node("Relu", {x}, {str_cat("y", i)})[0]);
      inputs.push_back(floats({1 + i % 3}, std::vector<float>(static_cast<size_t>(1 + i % 3))));
    }
    g.infer();
    return run_time(*open_graph(g), inputs);
  };
  CHECK(time_of(8000) < 70 * time_of(500));
}

TEST(many_ports, a_named_dimension_has_one_size_in_all_inputs) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, -1}),
                y = g.input("y", DType::kFloat32, {-1});
  g.output(g.node("Relu", {x}, {"u"})[0]);
  g.output(g.node("Relu", {y}, {"v"})[0]);
  g.infer();
  const auto session = open_graph(g);
  std::vector<Tensor> out;
  CHECK_OK(try_run(*session, {floats({2, 1}, {1, 2}), floats({2}, {1, 2})}, &out));
  const Status status = try_run(*session, {floats({2, 1}, {1, 2}), floats({1}, {1})}, &out);
  CHECK_CODE(status, Code::kInvalidArgument);
  CHECK(status.message().find("input 'y': dimension 'd0' is 1, but another input has 2") !=
        std::string::npos);
}
