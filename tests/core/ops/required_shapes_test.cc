// SPDX-License-Identifier: MIT
// Shapes that only the readers of a value tell.
#include "core/ops/declared/required_shapes.h"

#include "core/rewrite/facts.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/core/optimise/test_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr std::string_view kOpen = "float32";  // a type of unknown rank

// A graph whose value `x` has a shape that is computed from what it is given.
struct Reshaped : TestGraph {
  Reshaped() : TestGraph(17) {
    const ValueId data = input("data", kFloat, {n()});
    x = node("Reshape", {data, input("shape", DType::kInt64, {Dim::named("rank")})});
  }
  ValueId weights(Dims dims) { return constant("w", Tensor::create(kFloat, dims).value()); }
  ValueId conv(ValueId data, Dims dims, std::vector<int64_t> pads = {0, 0, 0, 0}) {
    return node("Conv", {data, weights(std::move(dims))},
                {Attribute::of_ints("pads", std::move(pads))});
  }
  ValueId x = kNoValue;
};

}  // namespace

TEST(required_shapes, follow_from_a_convolution_through_what_keeps_them) {
  Reshaped g;
  const ValueId two = g.floats("two", {2}, {1, 2});
  const ValueId norm = g.node("BatchNormalization", {g.node("Relu", {g.x}), two, two, two, two});
  g.output(g.conv(norm, {8, 2, 3, 3}));
  g.infer();
  CHECK_EQ(g.type(g.x), "float32[?,2,?,?]");
  CHECK_EQ(g.type(norm), "float32[?,2,?,?]");
}

TEST(required_shapes, are_compared_with_what_follows_from_them) {
  Reshaped g;
  const ValueId branch = g.node("Relu", {g.x});
  const ValueId sum = g.node("Add", {g.conv(branch, {4, 4, 3, 3}, {1, 1, 1, 1}), branch});
  g.output(sum);
  g.infer();
  CHECK(same_shape(g.graph(), branch, sum));
}

TEST(required_shapes, follow_from_ranks_that_operators_name) {
  const auto rank_of_x = [](auto&& read) {
    Reshaped g;
    g.output(read(g));
    g.infer();
    return g.type(g.x);
  };
  CHECK_EQ(rank_of_x([](Reshaped& g) {
             return g.node("MaxPool", {g.x}, {Attribute::of_ints("kernel_shape", {2, 2})});
           }),
           "float32[?,?,?,?]");
  CHECK_EQ(rank_of_x([](Reshaped& g) {
             return g.node("Transpose", {g.x}, {Attribute::of_ints("perm", {2, 0, 1})});
           }),
           "float32[?,?,?]");
  CHECK_EQ(rank_of_x([](Reshaped& g) { return g.node("Transpose", {g.x}); }), kOpen);
  CHECK_EQ(rank_of_x([](Reshaped& g) {
             return g.node("ConvTranspose", {g.x, g.weights({6, 3, 5})});
           }),
           "float32[?,6,?]");
  CHECK_EQ(rank_of_x([](Reshaped& g) {
             const auto groups = Attribute::of_int("group", 3);
             return g.node("Conv", {g.x, g.weights({6, 2, 5})}, {groups});
           }),
           "float32[?,6,?]");
}

TEST(required_shapes, of_operands_follow_where_the_others_have_a_lower_rank) {
  const auto type_beside = [](Dims other) {
    Reshaped g;
    const ValueId sum =
        g.node("Mul", {g.x, g.constant("k", Tensor::create(kFloat, other).value())});
    g.output(g.conv(sum, {3, 2, 1, 1}));
    g.infer();
    return g.type(g.x);
  };
  CHECK_EQ(type_beside({2, 1, 1}), "float32[?,?,?,?]");
  CHECK_EQ(type_beside({}), "float32[?,?,?,?]");
  CHECK_EQ(type_beside({1, 2, 1, 1}), kOpen);
}

TEST(required_shapes, are_given_to_all_that_is_joined) {
  Reshaped g;
  const ValueId other =
      g.node("Reshape", {g.input("more", kFloat, {n()}),
                         g.input("its_shape", DType::kInt64, {Dim::named("its_rank")})});
  const ValueId both = g.node("Concat", {g.x, other}, {Attribute::of_int("axis", 1)});
  g.output(g.conv(both, {8, 5, 1, 1}));
  g.infer();
  CHECK_EQ(g.type(both), "float32[?,5,?,?]");
  CHECK_EQ(g.type(g.x), "float32[?,?,?,?]");
  CHECK_EQ(g.type(other), "float32[?,?,?,?]");
}

TEST(required_shapes, are_none_where_readers_do_not_agree) {
  Reshaped g;
  g.output(g.conv(g.x, {8, 5, 1, 1}), "a");
  g.output(g.node("Conv", {g.x, g.weights({8, 5, 1})}), "b");
  g.infer();
  CHECK_EQ(g.type(g.x), kOpen);
}

TEST(required_shapes, are_none_of_readers_that_nobody_reads_and_of_inputs) {
  Reshaped g;
  g.node("Relu", {g.conv(g.x, {8, 5, 1, 1})});
  const ValueId given = g.graph().add_value("given", Type::tensor(kFloat)).value();
  g.graph().add_input(given);
  g.output(g.conv(given, {8, 5, 1, 1}), "a");
  g.output(g.node("Relu", {g.x}), "b");
  g.infer();
  CHECK_EQ(g.type(g.x), kOpen);
  CHECK_EQ(g.type(given), kOpen);
}

// if c then Transpose(x, [1,0]) else ... is a branch that no run takes which comes to Conv(x).
TEST(required_shapes, are_none_where_a_branch_contradicts_them) {
  const auto type_beside = [](std::vector<int64_t> perm, bool is_read_outside) {
    Reshaped g;
    const ValueId c = g.input("c", DType::kBool, {});
    const auto branch = [&](const std::string& op, std::vector<Attribute> attributes) {
      auto inner = std::make_shared<Graph>(g.model.opsets, &g.graph());
      const ValueId x = inner->capture(g.x).value(), y = inner->add_value("y").value();
      CHECK_OK(inner->add_node(op, "", "", {x}, {y}, std::move(attributes)));
      inner->add_output(y);
      return inner;
    };
    g.output(g.node("If", {c},
                    {graph_attribute("then_branch",
                                     branch("Transpose", {Attribute::of_ints("perm", perm)})),
                     graph_attribute("else_branch", branch("Relu", {}))}),
             "chosen");
    if (is_read_outside) g.output(g.conv(g.x, {8, 5, 1, 1}), "y");
    g.infer();
    return g.type(g.x);
  };
  CHECK_EQ(type_beside({0, 2, 3, 1}, true), "float32[?,5,?,?]");
  CHECK_EQ(type_beside({1, 0}, true), kOpen);
  CHECK_EQ(type_beside({0, 2, 3, 1}, false), kOpen);  // it may be the other branch
}
