// SPDX-License-Identifier: MIT
// Shapes in a model that its nodes contradict, as exporters write them after a batch was changed or
// an axis was dropped: such models run, unless the session is strict.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

// y = Abs(x * 2) over [3,4], where the file says other things of the product and of y.
std::string model_that_says(const Type& of_product, const Type& of_result) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {3, 4});
  const auto two = g.floats("two", {}, {2});
  const auto product = g.node("Mul", {x, two}, {"product"})[0];
  const auto y = g.node("Abs", {product}, {"y"})[0];
  g.output(y);
  g.infer();
  g.graph().value(product)->type = of_product;
  g.graph().value(product)->has_value_info = true;
  g.graph().value(y)->type = of_result;
  return g.model_bytes();
}

Type f32(Dims dims) { return Type::tensor(DType::kFloat32, shape_of(dims)); }

Result<std::unique_ptr<Session>> session_of(const ModelSource& source, const std::string& provider,
                                            bool strict = false) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {provider});
  if (strict) CHECK_OK(options.set("session.strict_shape_type_inference", "1"));
  return Session::create(environment, source, options);
}

const Tensor& numbers() {
  static const Tensor x = Tensor::from<float>({3, 4}, random_numbers(12, 1));
  return x;
}

void check_result(const Session& session) {
  const auto outputs = run_all(session, {numbers()});
  CHECK(outputs[0].dims() == (Dims{3, 4}));
  for (int64_t i = 0; i < 12; ++i) {
    const float expected = 2 * numbers().elements<float>()[i];
    CHECK_EQ(outputs[0].elements<float>()[i], expected < 0 ? -expected : expected);
  }
}

}  // namespace

TEST(contradicting_shapes, are_unknown_and_the_model_runs_from_source_and_context) {
  const std::vector<std::string> models = {
      model_that_says(f32({3, 9}), f32({3, 4})), model_that_says(f32({12}), f32({3, 4})),
      model_that_says(f32({3, 4}), f32({1, 4})), model_that_says(f32({3, 4}), f32({4})),
      model_that_says(f32({2, 2}), f32({2, 2, 2}))};
  for (const std::string& model : models) {
    for (const char* provider : {"CPU", "AOT"}) {
      auto session = session_of(memory_source(model), provider);
      CHECK_OK(session);
      check_result(**session);
    }
    const std::string source = temp_dir() + "/source.onnx", context = temp_dir() + "/s_ctx.onnx";
    write_whole_file(source, model);
    compile_to(source, context, true);
    auto session = session_of(file_source(context), "AOT");
    CHECK_OK(session);
    check_result(**session);
  }
}

TEST(contradicting_shapes, of_a_result_are_told_as_far_as_nothing_contradicts) {
  auto session = session_of(memory_source(model_that_says(f32({3, 4}), f32({1, 4}))), "CPU");
  CHECK_OK(session);
  CHECK_EQ(type_to_string((*session)->outputs()[0].type), "float32[?,4]");
}

TEST(contradicting_shapes, are_a_failure_in_a_strict_session) {
  auto session = session_of(memory_source(model_that_says(f32({3, 4}), f32({1, 4}))), "CPU", true);
  CHECK_CODE(session, Code::kInvalidGraph);
  const std::string& message = session.status().message();
  CHECK(message.find("expected float32[1,4], found float32[3,4]") != std::string::npos);
}

TEST(contradicting_shapes, of_other_elements_are_a_failure_in_every_session) {
  const Type integers = Type::tensor(DType::kInt64, shape_of(Dims{3, 4}));
  auto session = session_of(memory_source(model_that_says(f32({3, 4}), integers)), "CPU");
  CHECK_CODE(session, Code::kInvalidGraph);
}

}  // namespace ortc::test
