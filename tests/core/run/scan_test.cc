// SPDX-License-Identifier: MIT
// Scan through sessions, from source and from a context: axes, directions, values from outside, a
// sequence without elements, and the first form with its batch and lengths.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

Attribute body_of(GraphBuilder& body) {
  const Attribute attribute = graph_attribute("body", body.shared());
  return attribute;
}

bool holds(const Tensor& found, const Dims& dims, std::vector<float> elements) {
  const auto values = found.elements<float>();
  return found.dims() == dims &&
         std::equal(values.begin(), values.end(), elements.begin(), elements.end());
}

Tensor floats(Dims dims, std::vector<float> values) {
  return Tensor::from<float>(std::move(dims), values);
}

// Runs `check` on a session from source and on one from a context.
template <typename F>
void from_source_and_context(GraphBuilder& g, const std::string& name, F&& check) {
  g.infer();
  const std::string path = temp_dir() + "/" + name + ".onnx";
  const std::string context = temp_dir() + "/" + name + "_ctx.onnx";
  write_whole_file(path, g.model_bytes());
  compile_to(path, context);
  for (const std::string& file : {path, context}) {
    const auto environment = quiet_environment();
    auto session =
        Session::create(environment, file_source(file), options_with(*environment, {"AOT"}));
    CHECK_OK(session);
    check(**session);
  }
}

// sum = sum + step * x[:, t], from the last t to the first; squares stand at the end of axis 1.
TEST(scan, reads_and_writes_any_axis_in_any_direction) {
  GraphBuilder g;
  const auto step = g.input("step", DType::kFloat32, {1});
  const auto start = g.input("start", DType::kFloat32, {2});
  const auto x = g.input("x", DType::kFloat32, {2, -1});
  GraphBuilder body(17, &g.graph());
  const auto sum = body.input("sum", DType::kFloat32, {2});
  const auto element = body.input("element", DType::kFloat32, {2});
  const auto scaled =
      body.node("Mul", {element, body.graph().capture(step).value()}, {"scaled"})[0];
  const auto next = body.node("Add", {sum, scaled}, {"next"})[0];
  body.output(next);
  body.output(body.node("Identity", {next}, {"seen"})[0]);
  const auto out = g.node(
      "Scan", {start, x}, {"last", "all"},
      {body_of(body), Attribute::of_int("num_scan_inputs", 1),
       Attribute::of_ints("scan_input_axes", {-1}), Attribute::of_ints("scan_output_axes", {1}),
       Attribute::of_ints("scan_input_directions", {1}),
       Attribute::of_ints("scan_output_directions", {1})});
  g.output(out[0]);
  g.output(out[1]);
  from_source_and_context(g, "axes", [](const Session& session) {
    const Tensor two = floats({1}, {2}), begin = floats({2}, {100, 200});
    const auto result = run_all(session, {two, begin, floats({2, 3}, {1, 2, 3, 10, 20, 30})});
    CHECK(holds(result[0], {2}, {112, 320}));
    CHECK(holds(result[1], {2, 3}, {112, 110, 106, 320, 300, 260}));
    const auto none = run_all(session, {two, begin, floats({2, 0}, {})});
    CHECK(holds(none[0], {2}, {100, 200}));
    CHECK(holds(none[1], {2, 0}, {}));
  });
}

// Rows without elements on both sides of the axis are nothing to copy, however many there are.
TEST(scan, elements_without_elements_take_no_time) {
  constexpr int64_t kMany = int64_t{1} << 40;
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 2, -1});
  GraphBuilder body(17, &g.graph());
  const auto element = body.input("element", DType::kFloat32, {-1, -1});
  body.output(body.node("Identity", {element}, {"seen"})[0]);
  g.output(g.node("Scan", {x}, {"all"},
                  {body_of(body), Attribute::of_int("num_scan_inputs", 1),
                   Attribute::of_ints("scan_input_axes", {1}),
                   Attribute::of_ints("scan_output_axes", {1})})[0]);
  from_source_and_context(g, "rows", [](const Session& session) {
    const auto result = run_all(session, {floats({kMany, 2, 0}, {})});
    CHECK(holds(result[0], {kMany, 2, 0}, {}));
  });
}

TEST(scan, the_first_form_has_a_batch_with_lengths) {
  GraphBuilder g(8);
  const auto lengths = g.input("lengths", DType::kInt64, {2});
  const auto start = g.input("start", DType::kFloat32, {2, 1});
  const auto x = g.input("x", DType::kFloat32, {2, 3, 1});
  GraphBuilder body(8, &g.graph());
  const auto sum = body.input("sum", DType::kFloat32, {1});
  const auto element = body.input("element", DType::kFloat32, {1});
  const auto next = body.node("Add", {sum, element}, {"next"})[0];
  body.output(next);
  body.output(body.node("Identity", {next}, {"seen"})[0]);
  const auto out = g.node("Scan", {lengths, start, x}, {"last", "all"},
                          {body_of(body), Attribute::of_int("num_scan_inputs", 1)});
  g.output(out[0]);
  g.output(out[1]);
  from_source_and_context(g, "batch", [](const Session& session) {
    const Tensor begin = floats({2, 1}, {0, 100}), x = floats({2, 3, 1}, {1, 2, 3, 4, 5, 6});
    const auto result =
        run_all(session, {Tensor::from<int64_t>({2}, std::vector<int64_t>{3, 1}), begin, x});
    CHECK(holds(result[0], {2, 1}, {6, 104}));
    CHECK(holds(result[1], {2, 3, 1}, {1, 3, 6, 104, 0, 0}));
    std::vector<Tensor> out;
    CHECK_CODE(
        try_run(session, {Tensor::from<int64_t>({2}, std::vector<int64_t>{4, 1}), begin, x}, &out),
        Code::kInvalidArgument);
  });
}

// Inference takes the state's first shape for that of every iteration.
TEST(scan, refuses_a_state_that_changes_its_shape) {
  GraphBuilder g;
  const auto start = g.input("start", DType::kFloat32, {-1});
  const auto x = g.input("x", DType::kFloat32, {-1, 1});
  GraphBuilder body(17, &g.graph());
  const auto state = body.input("state", DType::kFloat32, {-1});
  const auto element = body.input("element", DType::kFloat32, {1});
  body.output(body.node("Concat", {state, element}, {"longer"}, {Attribute::of_int("axis", 0)})[0]);
  body.output(body.node("Shape", {state}, {"size"})[0]);
  const auto out = g.node("Scan", {start, x}, {"last", "sizes"},
                          {body_of(body), Attribute::of_int("num_scan_inputs", 1)});
  g.output(out[0]);
  g.output(out[1]);
  from_source_and_context(g, "growing", [](const Session& session) {
    std::vector<Tensor> outputs;
    CHECK_CODE(try_run(session, {floats({2}, {1, 2}), floats({2, 1}, {3, 4})}, &outputs),
               Code::kInvalidArgument);
  });
}

}  // namespace
}  // namespace ortc::test
