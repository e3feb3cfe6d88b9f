// SPDX-License-Identifier: MIT
// ort_c/cxx: graphs of model files, and the model editor.
#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

namespace {

// y = LeakyRelu(x), the slope in an attribute.
Ort::Model leaky_relu_model() {
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {2});
  const Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(tensor.GetConst());
  std::vector<Ort::ValueInfo> inputs, outputs;
  inputs.emplace_back("x", type.GetConst());
  outputs.emplace_back("y", type.GetConst());
  const float slope = 0.5f;
  std::vector<Ort::OpAttr> attributes;
  attributes.emplace_back("alpha", &slope, 1, ORT_OP_ATTR_FLOAT);
  Ort::Node node("LeakyRelu", "", "leak", {"x"}, {"y"}, attributes);
  CHECK(attributes[0] == nullptr);

  Ort::Graph graph;
  graph.SetInputs(inputs);
  graph.SetOutputs(outputs);
  CHECK(inputs[0] == nullptr && outputs[0] == nullptr);
  graph.AddNode(node);
  CHECK(node == nullptr);
  Ort::Model model({{"", 17}});
  model.AddGraph(graph);
  CHECK(graph == nullptr);
  return model;
}

}  // namespace

TEST(cxx_model_editor, builds_a_model_that_runs) {
  const Ort::Env env;
  const Ort::Session session(env, leaky_relu_model(), Ort::SessionOptions());
  std::vector<float> numbers{-4, 4};
  Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(numbers, {2})}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[0], -2.0f);
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[1], 4.0f);
}

TEST(cxx_model_editor, leaves_with_the_program_what_it_refuses) {
  Ort::Graph graph;
  Ort::Node node("Relu", "", "same", {"x"}, {"y"});
  Ort::Node twin("Relu", "", "same", {"x"}, {"y"});
  graph.AddNode(node);
  CHECK_THROWS(graph.AddNode(twin), ORT_INVALID_ARGUMENT, "");
  CHECK(twin != nullptr);
  std::vector<float> numbers{1, 2};
  Ort::Value tensor = Ort::Value::CreateTensor<float>(numbers, {2});
  CHECK_THROWS(graph.AddInitializer("", tensor, false), ORT_INVALID_ARGUMENT, "");
  CHECK(tensor != nullptr);
  graph.AddInitializer("w", tensor, false);
  CHECK(tensor == nullptr);
}

TEST(cxx_model_editor, changes_a_model_before_it_is_finished) {
  const Ort::Env env;
  Ort::Session session =
      Ort::Session::CreateModelEditorSession(env, data("matmul.onnx"), Ort::SessionOptions());
  CHECK_EQ(session.GetOpset(""), 17);
  // z = -y in place of y.
  Ort::Graph graph;
  Ort::Node node("Neg", "", "negate", {"y"}, {"z"});
  graph.AddNode(node);
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {-1, 3});
  std::vector<Ort::ValueInfo> outputs;
  outputs.emplace_back("z", Ort::TypeInfo::CreateTensorInfo(tensor.GetConst()).GetConst());
  graph.SetOutputs(outputs);
  Ort::Model changes({{"", 17}});
  changes.AddGraph(graph);
  session.FinalizeModelEditorSession(changes, Ort::SessionOptions());
  std::vector<float> ones(4, 1);
  Ort::Outputs results = session.run({{"x", Ort::Value::CreateTensor<float>(ones, {1, 4})}});
  CHECK_EQ(results["z"].GetTensorSpan<float>()[0], -18.0f);
}

TEST(cxx_graph, shows_nodes_values_and_initializers) {
  const Ort::Env env;
  const Ort::Graph graph = Ort::Graph::Load(env, data("matmul.onnx"));
  CHECK_EQ(graph.GetName(), std::string("matmul"));
  CHECK(has(graph.GetModelPath(), "matmul.onnx"));
  CHECK_EQ(graph.GetOnnxIRVersion(), 8);
  CHECK_EQ(graph.GetOperatorSets()[0].version, 17);
  CHECK(graph.GetParentNode() == nullptr);
  CHECK(graph.GetModelMetadata() != nullptr);
  const std::vector<Ort::ConstNode> nodes = graph.GetNodes();
  CHECK_EQ(nodes.size(), size_t{1});
  CHECK_EQ(nodes[0].GetName() + nodes[0].GetOperatorType() + nodes[0].GetDomain(),
           std::string("productMatMul"));
  CHECK_EQ(nodes[0].GetSinceVersion(), 13);
  CHECK(nodes[0].GetEpName().empty());
  CHECK(nodes[0].GetGraph() == graph);
  CHECK(nodes[0].GetSubgraphs().empty() && nodes[0].GetImplicitInputs().empty());
  (void)nodes[0].GetId();

  const Ort::ConstValueInfo input = graph.GetInputs()[0];
  CHECK_EQ(input.GetName(), std::string("x"));
  CHECK(input.IsRequiredGraphInput() && !input.IsOptionalGraphInput());
  CHECK(input.GetProducerNode().node == nullptr);
  CHECK_EQ(input.GetConsumers().size(), size_t{1});
  CHECK_EQ(input.GetConsumers()[0].index, 0);
  const Ort::ConstValueInfo output = nodes[0].GetOutputs()[0];
  CHECK(output.IsGraphOutput() && output.GetProducerNode().node == nodes[0]);
  CHECK(!output.IsFromOuterScope());
  CHECK_EQ(graph.GetOutputs()[0].GetName(), output.GetName());
  CHECK_EQ(output.TypeInfo().GetONNXType(), ONNX_TYPE_TENSOR);

  const Ort::ConstValueInfo weight = graph.GetInitializers()[0];
  CHECK(weight.IsConstantInitializer());
  Ort::ConstValue content;
  CHECK(weight.GetInitializer(content).IsOK());
  CHECK_EQ(content.GetTensorSpan<float>()[11], 11.0f);
  Ort::ExternalInitializerInfo where{nullptr};
  CHECK(weight.GetExternalInitializerInfo(where).IsOK());
  CHECK(where == nullptr);
  CHECK_EQ(graph.GetGraphView(nodes).GetNodes().size(), size_t{1});
}

TEST(cxx_graph, reads_attributes) {
  const int64_t numbers[] = {1, 2, 3};
  const char* texts[] = {"one", "", "three"};
  const float slope = 0.5f;
  const Ort::OpAttr ints("ints", numbers, 3, ORT_OP_ATTR_INTS);
  const Ort::OpAttr one("one", numbers, 1, ORT_OP_ATTR_INT);
  const Ort::OpAttr real("real", &slope, 1, ORT_OP_ATTR_FLOAT);
  const Ort::OpAttr reals("reals", &slope, 1, ORT_OP_ATTR_FLOATS);
  const Ort::OpAttr text("text", "words", 5, ORT_OP_ATTR_STRING);
  const Ort::OpAttr none("none", "", 0, ORT_OP_ATTR_STRING);
  const Ort::OpAttr many("many", texts, 3, ORT_OP_ATTR_STRINGS);
  CHECK_EQ(ints.GetName(), std::string("ints"));
  CHECK_EQ(ints.GetConst().GetType(), ORT_OP_ATTR_INTS);
  std::vector<int64_t> read_ints;
  CHECK(ints.GetValueArray(read_ints).IsOK());
  CHECK(read_ints == (std::vector<int64_t>{1, 2, 3}));
  int64_t read_one = 0;
  CHECK(one.GetValue(read_one).IsOK() && read_one == 1);
  float read_real = 0;
  CHECK(real.GetValue(read_real).IsOK() && read_real == 0.5f);
  CHECK(!real.GetValue(read_one).IsOK());
  std::vector<float> read_reals;
  CHECK(reals.GetValueArray(read_reals).IsOK() && read_reals.size() == 1);
  std::string read_text;
  CHECK(text.GetValue(read_text).IsOK() && read_text == "words");
  CHECK(none.GetValue(read_text).IsOK() && read_text.empty());
  CHECK(!ints.GetValue(read_text).IsOK());
  std::vector<std::string> read_texts;
  CHECK(many.GetValueArray(read_texts).IsOK());
  CHECK(read_texts == (std::vector<std::string>{"one", "", "three"}));
  Ort::Value tensor;
  CHECK(!ints.GetTensorAttributeAsOrtValue(tensor).IsOK());
}

TEST(cxx_graph, finds_attributes_by_name) {
  const Ort::Env env;
  const Ort::Graph graph = Ort::Graph::Load(env, data("foreign_context.onnx"));
  const std::vector<Ort::ConstNode> nodes = graph.GetNodes();
  Ort::ConstOpAttr source;
  CHECK(nodes[0].GetAttributeByName("source", source).IsOK());
  std::string text;
  CHECK(source.GetValue(text).IsOK() && text == "QNN");
  CHECK(nodes[0].GetAttributes().size() >= 5);
  CHECK(!nodes[0].GetAttributeByName("none", source).IsOK());
  CHECK(source == nullptr);
}
