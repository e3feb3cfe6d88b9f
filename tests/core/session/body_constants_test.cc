// SPDX-License-Identifier: MIT
// Bodies that work with weights of the enclosing graph, and convolutions of values whose rank only
// the weights tell: as exporters write voice activity models.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

const std::vector<Attribute> kPads = {Attribute::of_ints("pads", {2, 2})};

// x [1, 4, 9] or, squeezed on the way, [1, 1, 4, 9]: the rank of the If's result is not known.
ValueId value_of_unknown_rank(GraphBuilder& g, ValueId x, ValueId is_it, const std::string& name) {
  GraphBuilder yes(17, &g.graph()), no(17, &g.graph());
  yes.output(yes.node("Identity", {yes.graph().capture(x).value()}, {name + "_same"})[0]);
  const ValueId wide =
      no.node("Unsqueeze", {no.graph().capture(x).value(), no.int64s(name + "_axis", {1}, {0})},
              {name + "_wide"})[0];
  no.output(wide);
  return g.node("If", {is_it}, {name},
                {graph_attribute("then_branch", yes.shared()),
                 graph_attribute("else_branch", no.shared())})[0];
}

// A depthwise and a plain convolution, by weights of `outer`, of a value of unknown rank.
std::shared_ptr<Graph> body(Graph& outer, std::vector<ValueId> captured, const std::string& name) {
  GraphBuilder g(17, &outer);
  for (ValueId& id : captured) id = g.graph().capture(id).value();
  const ValueId x = value_of_unknown_rank(g, captured[0], captured[1], name + "_x");
  std::vector<Attribute> depthwise = kPads;
  depthwise.push_back(Attribute::of_int("group", 4));
  auto h = g.node("Conv", {x, captured[2], captured[3]}, {name + "_c1"}, depthwise)[0];
  h = g.node("Relu", {h}, {name + "_r"})[0];
  g.output(g.node("Conv", {h, captured[4]}, {name + "_y"})[0]);
  return g.shared();
}

// If of `is_it` around `body`, the branches alike but for a Neg.
void build(GraphBuilder& g) {
  const ValueId x = g.input("x", DType::kFloat32, {1, 4, 9});
  const ValueId is_it = g.input("is_it", DType::kBool, {});
  const std::vector<ValueId> all = {x, is_it, g.random_floats("w1", {4, 1, 5}, 1),
                                    g.random_floats("b1", {4}, 2),
                                    g.random_floats("w2", {6, 4, 1}, 3)};
  std::vector<ValueId> other = all;
  other[0] = g.node("Neg", {x}, {"minus"})[0];
  g.output(g.node("If", {is_it}, {"y"},
                  {graph_attribute("then_branch", body(g.graph(), all, "a")),
                   graph_attribute("else_branch", body(g.graph(), other, "b"))})[0]);
}

TEST(body_constants, weights_of_enclosing_graphs_give_the_same_numbers_packed) {
  GraphBuilder g;
  build(g);
  g.infer();
  const std::string path = temp_dir() + "/outside.onnx", context = temp_dir() + "/outside_ctx.onnx";
  write_whole_file(path, g.model_bytes());
  compile_to(path, context);
  const auto environment = quiet_environment();
  SessionOptions plain = options_with(*environment, {"CPU"});
  plain.level = OptimisationLevel::kNone;
  const auto expected = Session::create(environment, file_source(path), plain);
  CHECK_OK(expected);
  const Tensor x = Tensor::from<float>({1, 4, 9}, random_numbers(36, 5));
  const auto wanted = run_all(**expected, {x, Tensor::scalar(true)});
  CHECK_EQ(wanted[0].dims().size(), 3u);
  for (const std::string& file : {path, context}) {
    const auto session =
        Session::create(environment, file_source(file), options_with(*environment, {"AOT"}));
    CHECK_OK(session);
    CHECK(all_near(run_all(**session, {x, Tensor::scalar(true)}), wanted, 1e-5, 1e-6));
  }
}

TEST(body_constants, a_rank_other_than_the_weights_tell_is_refused_at_the_run) {
  GraphBuilder g;
  build(g);
  g.infer();
  const std::string path = temp_dir() + "/rank.onnx";
  write_whole_file(path, g.model_bytes());
  const auto environment = quiet_environment();
  for (const std::string& provider : {std::string("CPU"), std::string("AOT")}) {
    const auto session =
        Session::create(environment, file_source(path), options_with(*environment, {provider}));
    CHECK_OK(session);
    const Tensor x = Tensor::from<float>({1, 4, 9}, random_numbers(36, 5));
    std::vector<Tensor> outputs;
    const Status status = try_run(**session, {x, Tensor::scalar(false)}, &outputs);
    CHECK_CODE(status, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ortc::test
