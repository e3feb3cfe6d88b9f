// SPDX-License-Identifier: MIT
// Nodes that nobody reads, and outputs that nodes leave out: through sessions, at every level, from
// source and from a context.
#include "tests/core/session/values_testing.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr OptimisationLevel kLevels[] = {OptimisationLevel::kNone, OptimisationLevel::kBasic,
                                         OptimisationLevel::kExtended, OptimisationLevel::kAll};

// Runs `check` on sessions of every level with each provider, and on one from a context.
template <typename F>
void everywhere(GraphBuilder& g, const std::string& name, F&& check) {
  g.infer();
  const std::string path = temp_dir() + "/" + name + ".onnx";
  const std::string context = temp_dir() + "/" + name + "_ctx.onnx";
  write_whole_file(path, g.model_bytes());
  compile_to(path, context);
  const auto environment = quiet_environment();
  for (const std::string& provider : {std::string("AOT"), std::string("CPU")}) {
    for (const OptimisationLevel level : kLevels) {
      SessionOptions options = options_with(*environment, {provider});
      options.level = level;
      auto session = Session::create(environment, file_source(path), options);
      CHECK_OK(session);
      check(**session);
    }
  }
  auto session =
      Session::create(environment, file_source(context), options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  check(**session);
}

Tensor int64s(const std::vector<int64_t>& values) {
  return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
}

void check_relu(const Session& session) {
  const auto outputs = run_all(session, {floats({2}, {-1, 3})});
  CHECK_EQ(outputs[0].elements<float>()[0], 0.0f);
  CHECK_EQ(outputs[0].elements<float>()[1], 3.0f);
}

TEST(unread_values, of_nodes_connected_to_nothing_make_no_part) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2});
  g.output(g.node("Relu", {x}, {"y"})[0]);
  g.node("Neg", g.node("Shape", {x}, {"shape"}), {"dead"});
  everywhere(g, "dead", check_relu);
}

TEST(unread_values, in_bodies_make_no_part_either) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto is_it = g.input("is_it", DType::kBool, {});
  const auto outer = g.node("Sqrt", {x}, {"outer"})[0];  // read by the dead node alone
  std::vector<Attribute> branches;
  for (const std::string& which : {std::string("then_branch"), std::string("else_branch")}) {
    GraphBuilder body(17, &g.graph());
    const auto seen = body.graph().capture(x).value();
    body.output(body.node("Relu", {seen}, {which})[0]);
    body.node("Neg", {body.graph().capture(outer).value()}, {which + "_dead"});
    branches.push_back(graph_attribute(which, body.shared()));
  }
  g.output(g.node("If", {is_it}, {"y"}, branches)[0]);
  everywhere(g, "dead_in_bodies", [](const Session& session) {
    const auto outputs = run_all(session, {floats({2}, {-1, 3}), Tensor::scalar(true)});
    CHECK_EQ(outputs[0].elements<float>()[0], 0.0f);
    CHECK_EQ(outputs[0].elements<float>()[1], 3.0f);
  });
}

// y = Relu(x), z = If(which) { a } else { Neg(x) }; b is read by a dead node alone, c by nothing.
void add_inputs_of_all_kinds(GraphBuilder& g) {
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto which = g.input("which", DType::kBool, {});
  const auto a = g.input("a", DType::kFloat32, {2});
  const auto b = g.input("b", DType::kString, {-1});
  g.input("c", DType::kFloat32, {1, 3});
  g.node("Identity", {b}, {"dead"});
  std::vector<Attribute> branches;
  for (const bool is_then : {true, false}) {
    GraphBuilder body(17, &g.graph());
    const auto seen = body.graph().capture(is_then ? a : x).value();
    const char* op = is_then ? "Identity" : "Neg";
    body.output(body.node(op, {seen}, {is_then ? "then" : "else"})[0]);
    branches.push_back(graph_attribute(is_then ? "then_branch" : "else_branch", body.shared()));
  }
  g.output(g.node("Relu", {x}, {"y"})[0]);
  g.output(g.node("If", {which}, {"z"}, branches)[0]);
}

TEST(unread_values, that_are_inputs_need_not_be_given_and_all_others_must) {
  GraphBuilder g;
  add_inputs_of_all_kinds(g);
  everywhere(g, "inputs", [](const Session& session) {
    const std::vector<std::string_view> names = {"x", "which", "a"};
    const std::vector<Tensor> values = {floats({2}, {-1, 3}), Tensor::scalar(true),
                                        floats({2}, {5, 6})};
    const std::string_view outputs[] = {"y", "z"};
    std::vector<Tensor> found(2);
    CHECK_OK(session.run(names, values, outputs, found));
    CHECK(same_bits(found, {floats({2}, {0, 3}), values[2]}));
    for (size_t left_out = 0; left_out < names.size(); ++left_out) {
      std::vector<std::string_view> fewer = names;
      std::vector<Tensor> others = values;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(left_out));
      others.erase(others.begin() + static_cast<ptrdiff_t>(left_out));
      // Everything is computed, wanted or not.
      std::vector<Tensor> one(1);
      const Status status = session.run(fewer, others, {outputs, 1}, one);
      CHECK_CODE(status, Code::kInvalidArgument);
      CHECK(status.message().find(str_cat("Missing Input: ", names[left_out])) == 0);
    }
  });
}

TEST(unread_values, that_are_inputs_are_checked_when_they_are_given) {
  GraphBuilder g;
  add_inputs_of_all_kinds(g);
  everywhere(g, "given", [](const Session& session) {
    const std::string_view names[] = {"x", "which", "a", "c"}, output = "y";
    const Tensor values[] = {floats({2}, {-1, 3}), Tensor::scalar(true), floats({2}, {5, 6}),
                             floats({3, 1}, {1, 2, 3})};
    Tensor found;
    const Status status = session.run(names, values, {&output, 1}, {&found, 1});
    CHECK_CODE(status, Code::kInvalidArgument);
    CHECK(status.message().find("Got invalid dimensions for input: c") == 0);
  });
}

// What follows a convolution is drawn into it only when somebody wants the result.
TEST(unread_values, behind_a_convolution_take_it_with_them) {
  for (const std::string& op : {std::string("Add"), std::string("Mul")}) {
    for (const std::string& conv : {std::string("Conv"), std::string("ConvTranspose")}) {
      GraphBuilder g;
      const auto x = g.input("x", DType::kFloat32, {2});
      const auto image = g.input("image", DType::kFloat32, {1, 1, 3, 3});
      const auto w = g.random_floats("w", {1, 1, 2, 2}, 1);
      const auto between = g.node(conv, {image, w}, {"between"})[0];
      g.node(op, {between, g.floats("t", {1}, {2})}, {"dead"});
      g.output(g.node("Relu", {x}, {"y"})[0]);
      everywhere(g, "dead_" + op + conv, [](const Session& session) {
        const auto outputs = run_all(
            session, {floats({2}, {-1, 3}), floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
        CHECK_EQ(outputs[0].elements<float>()[1], 3.0f);
      });
    }
  }
}

TEST(unread_values, of_unique_may_be_left_out_where_they_are_optional) {
  for (const int omitted : {0, 2, 4, 6}) {  // not the first, which is required
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {4});
    std::vector<ValueId> outputs;
    for (int i = 0; i < 4; ++i) {
      const bool is_omitted = i < 3 && (omitted >> i & 1) != 0;
      outputs.push_back(is_omitted ? kNoValue : g.graph().add_value(str_cat("y", i)).value());
    }
    CHECK_OK(g.graph().add_node("Unique", "", "n", {x}, outputs, {}));
    for (const ValueId id : outputs) {
      if (id != kNoValue) g.output(id);
    }
    everywhere(g, str_cat("unique", omitted), [&](const Session& session) {
      const auto found = run_all(session, {floats({4}, {2, 1, 2, 2})});
      const Tensor expected[] = {floats({2}, {1, 2}), int64s({1, 0}), int64s({1, 0, 1, 1}),
                                 int64s({1, 3})};
      size_t at = 0;
      for (size_t i = 0; i < 4; ++i) {
        if (outputs[i] != kNoValue) CHECK(same_bits({found[at++]}, {expected[i]}));
      }
    });
  }
}

}  // namespace
}  // namespace ortc::test
