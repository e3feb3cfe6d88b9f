// SPDX-License-Identifier: MIT
// What pictures are made from: who reads what, and which tensors of which files a model uses.
#include "core/context/inspect/inspect.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::string structure_of(const std::string& path) {
  const auto environment = quiet_environment();
  const auto text = inspect_file(path, {.structure = true}, environment->providers());
  CHECK_OK(text);
  const size_t begin = text->find("\"structure\":");
  CHECK(begin != std::string::npos);
  return text->substr(begin);
}

}  // namespace

TEST(structure, numbers_what_nodes_and_their_bodies_read) {
  GraphBuilder g;
  const auto condition = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {6});
  const auto sum = g.node("Add", {x, g.random_floats("w", {6}, 1)}, {"s"})[0];
  std::vector<Attribute> bodies;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder body(17, &g.graph());
    body.output(body.node("Relu", {body.graph().capture(sum).value()}, {"r"})[0]);
    bodies.push_back(graph_attribute(name, body.shared()));
  }
  g.output(g.node("If", {condition}, {"y"}, std::move(bodies))[0]);
  g.infer();
  const std::string path = temp_dir() + "/nested.onnx";
  write_whole_file(path, g.model_bytes());
  const std::string text = structure_of(path);
  check_says(text, "\"inputs\":[\"c: bool[]\",\"x: float32[6]\"]");
  check_says(text, "\"op\":\"Add\",\"reads\":[{\"value\":\"x: float32[6]\",\"input\":1}]");
  check_says(text, "\"weight_bytes\":24");
  // The condition, and what the bodies take.
  check_says(text, "\"op\":\"If\",\"reads\":[{\"value\":\"c: bool[]\",\"input\":0},{\"value\":\"s");
  check_says(text, "\"nodes_in_bodies\":2");
  check_says(text, "\"outputs\":[{\"value\":\"y: float32[6]\",\"node\":1}]");
}

TEST(structure, lists_the_tensors_of_a_context_and_which_the_graph_uses) {
  const std::string source = temp_dir() + "/m.onnx", model = temp_dir() + "/m_ctx.onnx";
  write_whole_file(source, small_network());
  compile_to(source, model);
  const std::string text = structure_of(model);
  check_says(text, "\"op\":\"com.microsoft.EPContext\"");
  check_says(text, "\"source\":\"AOT\",\"contexts\":[{\"context\":0,\"graph\":\"");
  check_says(text, "\"tensors\":[0");
  check_says(text, "\"contexts\":[{\"file\":\"m_aot.bin\",\"generation\":\"");
  check_says(text, "\"tensors\":[{\"offset\":");
}

TEST(structure, leaves_out_a_context_that_is_not_there) {
  const std::string source = temp_dir() + "/gone.onnx", model = temp_dir() + "/gone_ctx.onnx";
  write_whole_file(source, small_network());
  compile_to(source, model);
  write_whole_file(temp_dir() + "/gone_aot.bin", "");
  check_says(structure_of(model), "\"contexts\":[]");
  check_says(structure_of(model), "\"op\":\"com.microsoft.EPContext\"");
}
