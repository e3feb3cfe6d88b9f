// SPDX-License-Identifier: MIT
// The operator of docs/add-an-operator.md, as the page shows it, in a session.
#include "add_an_operator_test_code.inc"
#include "tests/core/graph/wire_model.h"

namespace w = ortc::wire;

TEST(operator_page, shows_an_operator_that_works) {
  const std::string half = w::attribute("factor", 1, std::string("\x15\0\0\0\x3f", 5));
  const std::string model = w::model(w::graph({w::node("Scale", {"x"}, {"y"}, {half}, "", "mine")},
                                              {w::value("x", 1, {2})}, {w::plain("y")}),
                                     {}, w::field(8, w::opset("mine", 1)));
  static const Scale scale;
  const Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "page");
  Ort::SessionOptions options;
  {
    Ort::CustomOpDomain mine("mine");
    mine.Add(&scale);
    options.Add(mine);
  }
  Ort::Session session(env, model.data(), model.size(), options);
  const std::vector<int64_t> expected = {2};
  CHECK(session.GetOutputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape() == expected);
  float numbers[] = {6, 8};
  const Ort::Value x = Ort::Value::CreateTensor<float>(numbers, {2});
  Ort::Outputs outputs = session.run({{"x", x}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[1], 4.0f);
}
