// SPDX-License-Identifier: MIT
// Which nodes the AOT provider takes: weights of types that an EPContext node cannot take, where
// they are gone when the claim is compiled.
#include "providers/aot/capability.h"

#include "providers/cpu/fusions/fusions.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using ortc::test::GraphBuilder;

namespace {

// MatMul(x, D(w)) with w of int4; why D is not taken.
std::string why_not_weights(bool is_constant, bool is_read_outside) {
  GraphBuilder g(21);
  const Tensor numbers = Tensor::create(DType::kInt4, {32, 8}).value();
  const ValueId w =
      is_constant ? g.graph().add_constant("w", numbers) : g.input("w", DType::kInt4, {32, 8});
  const Tensor scales = Tensor::from<float>({1, 8}, std::vector<float>(8, 0.1f));
  const ValueId d = g.node("DequantizeLinear", {w, g.graph().add_constant("scale", scales)}, {"d"},
                           {Attribute::of_int("axis", 0), Attribute::of_int("block_size", 32)})[0];
  g.output(g.node("MatMul", {g.input("x", DType::kFloat32, {3, 32}), d}, {"y"})[0]);
  if (is_read_outside) g.output(d);
  g.infer();
  return aot::why_not(*g.graph().producer(d), cpu::lowering_rules(), {});
}

}  // namespace

TEST(capability, constant_weights_of_four_bits_are_taken) {
  CHECK_EQ(why_not_weights(true, false), "");
}

TEST(capability, numbers_of_four_bits_that_come_at_run_time_or_are_results_are_not) {
  CHECK_EQ(why_not_weights(false, false), "'w' is of type int4");
  CHECK_EQ(why_not_weights(true, true), "'w' is of type int4");
}
