// SPDX-License-Identifier: MIT
// What stands between convolutions over one axis: it works on their images of one row, and gives
// the numbers that it gives on lines.
#include <functional>

#include "tests/providers/cpu/fusions/fed_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"

using namespace ortc;
using ortc::test::counts;
using ortc::test::Fed;
using ortc::test::flag;
using ortc::test::integers;

namespace {

// Gives the graph's output out of a line of four channels that a convolution makes.
using Middle = std::function<ValueId(Fed&, ValueId)>;

void build_line(Fed& g, const Middle& middle) {
  const ValueId x = g.fed(Tensor::from<float>({2, 3, 7}, test::random_numbers(42, 7, 2.0f)));
  g.output(middle(g, g.conv(x, {4, 3, 3})));
  g.infer();
}

// `expected` are the operators between the first convolution and the end.
void check_line(const Middle& middle, const std::string& expected, int64_t opset = 19) {
  Fed plain(opset), fused(opset);
  build_line(plain, middle);
  build_line(fused, middle);
  test::check_fusion(plain, fused, " Transpose Unsqueeze Conv" + expected);
}

void check_between_lines(const Middle& middle, int64_t channels, const std::string& expected) {
  const auto with_conv = [&](Fed& g, ValueId h) { return g.conv(middle(g, h), {2, channels, 1}); };
  check_line(with_conv, expected + " Conv Squeeze Transpose");
}

Middle transposed(const Middle& f) {
  return [=](Fed& g, ValueId h) {
    const Attribute perm = integers("perm", {0, 2, 1});
    return g.op("Transpose", {f(g, g.op("Transpose", {h}, {perm}))}, {perm});
  };
}

}  // namespace

TEST(line_axes, reductions_need_no_transpose) {
  const auto reduce = [](const std::string& op, std::vector<int64_t> axes, int64_t keepdims) {
    return [=](Fed& g, ValueId h) {
      return g.op(op, {h}, {integers("axes", axes), flag("keepdims", keepdims)});
    };
  };
  check_line(reduce("ReduceMax", {2}, 0), " ReduceMax", 17);
  check_line(reduce("ReduceMean", {-2}, 0), " ReduceMean", 17);
  check_line(reduce("ReduceMean", {0, 2}, 0), " ReduceMean", 17);
  check_line(reduce("ReduceL2", {-1}, 1), " ReduceL2 Squeeze Transpose", 17);
  const auto all = [](Fed& g, ValueId h) { return g.op("ReduceSum", {h}, {flag("keepdims", 0)}); };
  check_line(all, " ReduceSum");
}

TEST(line_axes, a_choice_that_drops_its_axis_is_made_on_the_line) {
  const auto choose = [](int64_t keepdims) {
    return [=](Fed& g, ValueId h) {
      return g.op("ArgMax", {h}, {flag("axis", 1), flag("keepdims", keepdims)});
    };
  };
  check_line(choose(0), " Squeeze Transpose ArgMax");
  check_line(choose(1), " ArgMax Squeeze Transpose");
}

TEST(line_axes, gates_are_split_and_multiplied_in_rows) {
  const auto gate = [](Fed& g, ValueId h) {
    const auto halves = g.ops("Split", {h, g.constant(counts({1, 3}))}, 2, {flag("axis", 1)});
    return g.op("Mul", {g.op("Sigmoid", {halves[0]}), halves[1]});
  };
  check_between_lines(gate, 3, " Split Sigmoid Mul");
  const auto cut = [](Fed& g, ValueId h) {
    const auto part = [&](int64_t from, int64_t to) {
      return g.op("Slice", {h, g.constant(counts({from})), g.constant(counts({to})),
                            g.constant(counts({1}))});
    };
    return g.op("Concat", {g.op("Tanh", {part(0, 2)}), part(1, 4)}, {flag("axis", 1)});
  };
  check_between_lines(cut, 5, " Slice Tanh Slice Concat");
}

TEST(line_axes, lines_side_by_side_are_joined_along_their_axis) {
  const auto join = [](Fed& g, ValueId h) {
    return g.op("Concat", {h, g.op("Relu", {h})}, {flag("axis", -1)});
  };
  check_between_lines(join, 4, " Relu Concat");
}

TEST(line_axes, sequences_of_channels_are_read_and_made_without_a_transpose) {
  const auto twice = [](Fed& g, ValueId h) { return g.op("Mul", {h, h}); };
  check_between_lines(transposed(twice), 4, " Squeeze Mul Unsqueeze");
  const auto none = [](Fed&, ValueId h) { return h; };
  check_between_lines(transposed(none), 4, " Squeeze Unsqueeze");
}

TEST(line_axes, elementwise_operators_stay_between_convolutions) {
  const auto bent = [](Fed& g, ValueId h) {
    const ValueId slope = g.random_floats("slope", {4, 1}, 5);
    return g.op("PRelu", {g.op("Max", {h, g.op("Neg", {h})}), slope});
  };
  check_between_lines(bent, 4, " Neg Max PRelu");
}

TEST(line_axes, batch_norms_behind_an_activation_stay_between_convolutions) {
  const auto norm = [](Fed& g, ValueId h) {
    const ValueId numbers = g.constant(test::floats({1, 2, 0.5f, 3}));
    return g.op("BatchNormalization", {g.op("Relu", {h}), numbers, numbers, numbers, numbers});
  };
  check_between_lines(norm, 4, " Conv");
}

// Before opset 9 each element could have numbers of its own.
TEST(line_axes, batch_norms_of_elements_stay_on_the_line) {
  const auto norm = [](Fed& g, ValueId h) {
    const ValueId numbers =
        g.constant(Tensor::from<float>({4, 5}, test::random_numbers(20, 3, 0.5f)));
    const ValueId squares = g.constant(Tensor::from<float>({4, 5}, std::vector<float>(20, 2.0f)));
    return g.op("BatchNormalization", {h, numbers, numbers, numbers, squares},
                {flag("spatial", 0)});
  };
  check_line(norm, " Squeeze Transpose BatchNormalization", 8);
}
