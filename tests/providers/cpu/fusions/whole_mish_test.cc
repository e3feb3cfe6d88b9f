// SPDX-License-Identifier: MIT
// Mish in three nodes becomes one, also of a convolution's result, and is what it was.
#include "tests/providers/cpu/fusions/fed_graph.h"

using namespace ortc;
using ortc::test::Fed;

namespace {

ValueId spelled(Fed& g, ValueId x, bool gate_first) {
  const ValueId gate = g.op("Tanh", {g.op("Softplus", {x})});
  return gate_first ? g.op("Mul", {gate, x}) : g.op("Mul", {x, gate});
}

Tensor image() { return Tensor::from<float>({1, 3, 20, 20}, test::random_numbers(1200, 3)); }

void check(const std::function<void(Fed&)>& make, const std::string& expected) {
  Fed plain(11), fused(11);
  for (Fed* g : {&plain, &fused}) {
    make(*g);
    g->infer();
  }
  test::check_fusion(plain, fused, expected);
}

}  // namespace

TEST(whole_mish, is_one_node) {
  for (const bool gate_first : {false, true}) {
    check([&](Fed& g) { g.output(spelled(g, g.fed(image()), gate_first)); }, " Mish");
  }
}

TEST(whole_mish, behind_a_convolution_is_its_epilogue) {
  check(
      [](Fed& g) {
        g.output(spelled(g, g.conv(g.fed(image()), {40, 3, 3, 3}), false));
      },
      " Transpose Conv Transpose");
}

TEST(whole_mish, what_is_read_on_the_way_stays) {
  check(
      [](Fed& g) {
        const ValueId x = g.fed(image()), softplus = g.op("Softplus", {x});
        const ValueId tanh = g.op("Tanh", {softplus});
        g.output(g.op("Mul", {tanh, x}));
        g.output(softplus);
      },
      " Softplus Tanh Mul");
  check(
      [](Fed& g) {
        const ValueId x = g.fed(image()), y = g.fed(image());
        g.output(g.op("Mul", {g.op("Tanh", {g.op("Softplus", {x})}), y}));
      },
      " Softplus Tanh Mul");
}
