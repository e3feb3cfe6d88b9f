// SPDX-License-Identifier: MIT
// Cast(Cast(x, a), b)   ->   Cast(x, b)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(cast_chain, skips_a_type_that_holds_every_value) {
  TestGraph g(13);
  const ValueId x = g.input("x", DType::kInt32, {Dim::known(2)});
  const ValueId wide = g.node("Cast", {x}, {Attribute::of_int("to", 7)});
  g.output(g.node("Cast", {wide}, {Attribute::of_int("to", 1)}));
  CHECK_EQ(g.run("cast_chain"), 1);
  CHECK_EQ(g.operators(), "Cast");
  CHECK_EQ(g.type(g.producer_of("y").output(0)), "float32[2]");
}

TEST(cast_chain, keeps_a_type_that_loses_something) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  g.output(g.node("Cast", {g.node("Cast", {x}, {Attribute::of_int("to", 7)})},
                  {Attribute::of_int("to", 1)}),
           "whole");
  g.output(g.node("Cast", {g.node("Cast", {x}, {Attribute::of_int("to", 10)})},
                  {Attribute::of_int("to", 1)}),
           "half");
  g.output(g.node("Cast", {g.node("Cast", {x}, {Attribute::of_int("to", 9)})},
                  {Attribute::of_int("to", 1)}),
           "truth");
  const ValueId n = g.input("n", DType::kInt32, {Dim::known(2)});
  g.output(g.node("Cast", {g.node("Cast", {n}, {Attribute::of_int("to", 1)})},
                  {Attribute::of_int("to", 7)}),
           "rounded");
  CHECK_EQ(g.run("cast_chain"), 0);
}

// 4294967295 becomes -1 as an integer, and something else as a float that is too large.
TEST(cast_chain, keeps_a_float_before_an_integer_that_the_first_may_leave) {
  for (const auto& [last, rewrites] : {std::pair(6, 0), std::pair(7, 1), std::pair(1, 1)}) {
    TestGraph g(13);
    const ValueId x = g.input("x", DType::kUint32, {Dim::known(2)});
    const ValueId wide = g.node("Cast", {x}, {Attribute::of_int("to", 11)});
    g.output(g.node("Cast", {wide}, {Attribute::of_int("to", last)}));
    CHECK_EQ(g.run("cast_chain"), rewrites);
  }
}
