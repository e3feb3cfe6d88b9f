// SPDX-License-Identifier: MIT
// Operators that name axes between channels-last ones: they work on the twin, with axes, sizes and
// lists in the twin's order, and give the numbers that they give in ONNX's layout.
#include <functional>

#include "tests/providers/cpu/fusions/fed_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"

using namespace ortc;
using ortc::test::counts;
using ortc::test::Fed;
using ortc::test::flag;
using ortc::test::floats;
using ortc::test::integers;
using ortc::test::text;

namespace {

const Dims kImage = {1, 3, 6, 5};

// Gives the graph's output out of an image of four channels that a convolution makes.
using Middle = std::function<ValueId(Fed&, ValueId)>;

void build(Fed& g, const Middle& middle) {
  const auto numbers = test::random_numbers(90, 7, 2.0f);
  const ValueId x = g.fed(Tensor::from<float>(kImage, numbers));
  g.output(middle(g, g.conv(x, {4, 3, 1, 1})));
  g.infer();
}

// `expected` are the operators between the first convolution and the end.
void check_axes(const Middle& middle, const std::string& expected, int64_t opset = 19) {
  Fed plain(opset), fused(opset);
  build(plain, middle);
  build(fused, middle);
  test::check_fusion(plain, fused, " Transpose Conv" + expected);
}

// The same, with a convolution of `channels` behind.
void check_between(const Middle& middle, int64_t channels, const std::string& expected,
                   int64_t opset = 19) {
  check_axes(
      [&](Fed& g, ValueId h) {
        return g.conv(middle(g, h), {2, channels, 1, 1});
      },
      expected + " Conv Transpose", opset);
}

// Operators of early opsets keep ONNX's layout, in which their `axis` and shapes are.
void check_early(const Middle& middle, const std::string& expected, int64_t opset) {
  check_axes(
      [&](Fed& g, ValueId h) {
        return g.conv(middle(g, h), {5, 4, 1, 1});
      },
      " Transpose " + expected + " Transpose Conv Transpose", opset);
}

// What Resize reads behind its first input, and how.
struct Form {
  std::vector<Tensor> lists;  // roi, scales, sizes; an empty one is left out
  std::vector<Attribute> attributes;
  bool computed = false;  // lists are inputs of the graph
};

void check_resize(const Form& form, const std::string& expected) {
  const auto resize = [&](Fed& g, ValueId h) {
    std::vector<ValueId> inputs = {h};
    for (const Tensor& list : form.lists) {
      inputs.push_back(!list.is_defined() ? kNoValue
                       : form.computed    ? g.fed(list)
                                          : g.constant(list));
    }
    return g.op("Relu", {g.op("Resize", inputs, form.attributes)});
  };
  check_between(resize, 4, expected);
}

const std::string kTurnedList = " Gather Resize Relu";
const Attribute kLinear = text("mode", "linear");

}  // namespace

TEST(channels_last_axes, constants_of_resize_are_turned) {
  check_resize({{Tensor(), floats({1, 1, 2, 3})}, {}}, " Resize Relu");
  check_resize({{Tensor(), floats({1, 1, 2, 3})}, {kLinear}}, " Resize Relu");
  check_resize({{floats({}), floats({}), counts({1, 4, 9, 4})}, {kLinear}}, " Resize Relu");
  check_resize({{Tensor(), floats({1, 1, 1.5f, 2}), Tensor()},
                {text("mode", "cubic"), text("coordinate_transformation_mode", "align_corners")}},
               " Resize Relu");
}

TEST(channels_last_axes, computed_lists_of_resize_are_turned_in_each_run) {
  check_resize({{Tensor(), Tensor(), counts({1, 4, 9, 4})}, {kLinear}, true}, kTurnedList);
  check_resize({{Tensor(), floats({1, 1, 2, 3})}, {}, true}, kTurnedList);
}

TEST(channels_last_axes, axes_of_resize_find_their_place) {
  const Attribute axes = integers("axes", {3, -2});
  check_resize({{Tensor(), floats({3, 2})}, {axes, kLinear}}, " Resize Relu");
  check_resize({{Tensor(), Tensor(), counts({4, 9})},
                {axes, text("keep_aspect_ratio_policy", "not_larger")}},
               " Resize Relu");
}

TEST(channels_last_axes, resize_of_a_region_keeps_the_layout) {
  check_resize({{floats({0, 0, 0.1f, 0.2f, 1, 1, 0.9f, 0.8f}), floats({1, 1, 2, 3})},
                {kLinear, text("coordinate_transformation_mode", "tf_crop_and_resize")}},
               " Transpose Resize Relu Transpose");
}

// It may be much larger than what it is made of.
TEST(channels_last_axes, a_large_result_that_leaves_the_graph_is_not_turned) {
  const auto resize = [](Fed& g, ValueId h) {
    return g.op("Resize", {h, kNoValue, g.constant(floats({1, 1, 8, 8}))}, {kLinear});
  };
  check_axes(resize, " Transpose Resize");
}

TEST(channels_last_axes, reductions_that_keep_dims_stay_between_convolutions) {
  const auto reduce = [](const std::string& op, std::vector<int64_t> axes, bool as_input) {
    return [=](Fed& g, ValueId h) {
      const ValueId r = as_input ? g.op(op, {h, g.constant(counts(axes))})
                                 : g.op(op, {h}, {integers("axes", axes)});
      return g.op("Mul", {h, r});
    };
  };
  check_between(reduce("ReduceMean", {2, 3}, true), 4, " ReduceMean Mul");
  check_between(reduce("ReduceMax", {-3}, false), 4, " ReduceMax Mul", 17);
  check_between(reduce("ReduceSum", {0, 3}, true), 4, " ReduceSum Mul");
  const auto all = [](Fed& g, ValueId h) { return g.op("Mul", {h, g.op("ReduceL2", {h})}); };
  check_between(all, 4, " ReduceL2 Mul");
}

TEST(channels_last_axes, reductions_that_drop_dims_read_the_twin) {
  const auto reduce = [](std::vector<int64_t> axes) {
    return [=](Fed& g, ValueId h) {
      return g.op("ReduceMean", {h, g.constant(counts(axes))}, {flag("keepdims", 0)});
    };
  };
  check_axes(reduce({2, 3}), " ReduceMean");
  check_axes(reduce({1}), " ReduceMean");
  check_axes(reduce({1, 2}), " ReduceMean");
  check_axes(reduce({3}), " ReduceMean Transpose");
  check_axes(reduce({0}), " ReduceMean Transpose");
  check_axes(
      [](Fed& g, ValueId h) {
        return g.op("ArgMax", {h}, {flag("axis", 1), flag("keepdims", 0)});
      },
      " ArgMax");
  check_axes([](Fed& g, ValueId h) { return g.op("ArgMin", {h}, {flag("axis", -1)}); },
             " ArgMin Transpose");
}

// One row of an image, alone.
TEST(channels_last_axes, axes_that_are_squeezed_are_those_of_the_twin) {
  const auto row = [](std::vector<int64_t> axes, std::vector<Attribute> attributes = {}) {
    return [=](Fed& g, ValueId h) {
      const ValueId pooled = g.op(
          "MaxPool", {h}, {integers("kernel_shape", {axes[0] == 3 ? 1 : 6, axes[0] == 3 ? 5 : 1})});
      const ValueId line = attributes.empty() ? g.op("Squeeze", {pooled, g.constant(counts(axes))})
                                              : g.op("Squeeze", {pooled}, attributes);
      return g.op("Relu", {line});
    };
  };
  check_axes(row({2}), " MaxPool Squeeze Transpose Relu");
  check_axes(row({3}), " MaxPool Squeeze Transpose Relu");
  check_axes(row({-2, 0}), " MaxPool Squeeze Transpose Relu");
  check_axes(row({2}, {integers("axes", {2})}), " MaxPool Squeeze Transpose Relu", 11);
  const auto turned = [row](Fed& g, ValueId h) {
    return g.op("Transpose", {row({2})(g, h)}, {integers("perm", {0, 2, 1})});
  };
  check_axes(turned, " MaxPool Squeeze Transpose Relu Transpose");
  const auto undone = [](Fed& g, ValueId h) {
    const ValueId pooled = g.op("MaxPool", {h}, {integers("kernel_shape", {6, 1})});
    const ValueId line = g.op("Squeeze", {pooled, g.constant(counts({2}))});
    return g.op("Neg", {g.op("Transpose", {line}, {integers("perm", {0, 2, 1})})});
  };
  check_axes(undone, " MaxPool Squeeze Neg");
}

TEST(channels_last_axes, lines_are_turned_before_they_are_images) {
  for (const int64_t opset : {11, 19}) {
    for (const int64_t axis : {2, -1}) {
      for (const bool was_turned : {false, true}) {
        const auto make = [&](Fed& g) {
          const Dims dims = was_turned ? Dims{2, 7, 3} : Dims{2, 3, 7};
          ValueId line = g.fed(Tensor::from<float>(dims, test::random_numbers(42, 3)));
          if (was_turned) line = g.op("Transpose", {line}, {integers("perm", {0, 2, 1})});
          const ValueId image = opset < 13 ? g.op("Unsqueeze", {line}, {integers("axes", {axis})})
                                           : g.op("Unsqueeze", {line, g.constant(counts({axis}))});
          g.output(g.conv(image, {4, 3, 1, 1}));
          g.infer();
        };
        Fed plain(opset), fused(opset);
        make(plain);
        make(fused);
        const std::string before = was_turned ? " Unsqueeze" : " Transpose Unsqueeze";
        test::check_fusion(plain, fused, before + " Conv Transpose");
      }
    }
  }
}

namespace {

// The pixels of an image in a line, one behind another, by this list of sizes.
ValueId pixels_in_line(Fed& g, ValueId h, const std::vector<int64_t>& sizes) {
  return g.op("Reshape", {h, g.constant(counts(sizes))});
}
const std::vector<Attribute> kTurn = {integers("perm", {0, 2, 1})};

}  // namespace

TEST(channels_last_axes, pixels_of_the_twin_come_in_a_line) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{1, 4, 30}, {0, 0, -1}, {-1, 4, 30}, {0, -1, 30}}) {
    const auto line = [sizes](Fed& g, ValueId h) { return pixels_in_line(g, h, sizes); };
    check_axes(line, " Reshape Transpose");
    const auto turned = [line](Fed& g, ValueId h) {
      return g.op("Neg", {g.op("Transpose", {line(g, h)}, kTurn)});
    };
    check_axes(turned, " Reshape Neg");
    // ... and back.
    const auto image = [turned](Fed& g, ValueId h) {
      const ValueId line = g.op("Transpose", {turned(g, h)}, kTurn);
      return g.op("Reshape", {line, g.constant(counts({0, 0, 6, -1}))});
    };
    check_between(image, 4, " Reshape Neg Reshape");
  }
  const auto computed = [](Fed& g, ValueId h) {
    const ValueId both =
        g.op("Slice", {g.op("Shape", {h}), g.constant(counts({0})), g.constant(counts({2}))});
    const ValueId sizes = g.op("Concat", {both, g.constant(counts({-1}))}, {flag("axis", 0)});
    return g.op("Neg", {g.op("Transpose", {g.op("Reshape", {h, sizes})}, kTurn)});
  };
  check_axes(computed, " Shape Gather Slice Concat Gather Reshape Neg");
}

TEST(channels_last_axes, other_lines_are_made_of_the_image) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{1, 8, 15}, {2, 2, 30}, {1, 2, 60}}) {
    const auto line = [sizes](Fed& g, ValueId h) { return pixels_in_line(g, h, sizes); };
    check_axes(line, " Transpose Reshape");
  }
  const auto given = [](Fed& g, ValueId h) {
    return g.op("Reshape", {h, g.fed(counts({1, 4, 30}))});
  };
  check_axes(given, " Transpose Reshape");
}

TEST(channels_last_axes, shapes_are_those_of_the_twin_in_another_order) {
  const auto shape = [](std::vector<Attribute> attributes) {
    return [=](Fed& g, ValueId h) {
      return g.op("Mul", {g.op("Shape", {h}, attributes), g.constant(counts({2}))});
    };
  };
  check_axes(shape({}), " Shape Gather Mul");
  check_axes(shape({flag("start", 1)}), " Shape Gather Mul");
  check_axes(shape({flag("start", -3), flag("end", -1)}), " Shape Gather Mul");
  check_axes(shape({flag("start", 2), flag("end", 9)}), " Shape Gather Mul");
  const auto line = [](Fed& g, ValueId h) {
    const ValueId pooled = g.op("MaxPool", {h}, {integers("kernel_shape", {6, 1})});
    return g.op("Shape", {g.op("Squeeze", {pooled, g.constant(counts({2}))})});
  };
  check_axes(line, " MaxPool Squeeze Shape Gather");
}

TEST(channels_last_axes, softmax_of_channels_is_one_of_rows) {
  const auto softmax = [](Fed& g, ValueId h) { return g.op("Softmax", {h}, {flag("axis", 1)}); };
  check_between(softmax, 4, " Softmax");
}

TEST(channels_last_axes, pieces_of_an_image_are_cut_from_the_twin) {
  const auto halves = [](Fed& g, ValueId h) {
    const auto parts = g.ops("Split", {h}, 2, {flag("axis", 1), flag("num_outputs", 2)});
    return g.op("Mul", {parts[0], g.op("Sigmoid", {parts[1]})});
  };
  check_between(halves, 2, " Split Sigmoid Mul");
  const auto slice = [](std::vector<Tensor> lists) {
    return [=](Fed& g, ValueId h) {
      std::vector<ValueId> inputs = {h};
      for (const Tensor& list : lists) inputs.push_back(g.constant(list));
      return g.op("Slice", inputs);
    };
  };
  check_between(slice({counts({1, 0}), counts({5, 3}), counts({2, 1})}), 3, " Slice");
  check_between(slice({counts({-1}), counts({-9}), counts({3}), counts({-2})}), 4, " Slice");
  check_between(slice({counts({0, 1}), counts({1, 4})}), 3, " Slice");
}

TEST(channels_last_axes, borders_and_repetitions_are_made_on_the_twin) {
  const auto with_list = [](const std::string& op, std::vector<int64_t> list,
                            std::vector<Attribute> attributes = {}) {
    return [=](Fed& g, ValueId h) { return g.op(op, {h, g.constant(counts(list))}, attributes); };
  };
  check_between(with_list("Pad", {0, 0, 1, 2, 0, 0, 3, 1}, {text("mode", "reflect")}), 4, " Pad");
  check_between(with_list("Tile", {1, 2, 1, 3}), 8, " Tile");
  const auto named = [](Fed& g, ValueId h) {
    return g.op("Pad", {h, g.constant(counts({1, 0, 2, 1})), kNoValue, g.constant(counts({3, -3}))},
                {text("mode", "edge")});
  };
  check_between(named, 5, " Pad");
  const auto expanded = [](Fed& g, ValueId h) {
    const ValueId pool = g.op("GlobalAveragePool", {h});
    const ValueId wide = g.op("Expand", {pool, g.constant(counts({1, 4, 6, 5}))});
    return g.op("Concat", {h, wide}, {flag("axis", 1)});
  };
  check_between(expanded, 8, " GlobalAveragePool Expand Concat");
}

TEST(channels_last_axes, choices_are_made_on_twins) {
  const auto choose = [](Fed& g, ValueId h) {
    const ValueId zero = g.constant(floats({0}));
    return g.op("Where", {g.op("Greater", {h, zero}), h, zero});
  };
  check_between(choose, 4, " Greater Where");
  check_between(
      [](Fed& g, ValueId h) {
        return g.op("Sum", {h, g.op("Abs", {h}), h});
      },
      4, " Abs Sum");
}

TEST(channels_last_axes, layers_normalised_over_channels_need_no_transpose) {
  const auto layer = [](Fed& g, ValueId h) {
    const ValueId rows = g.op("Transpose", {h}, {integers("perm", {0, 2, 3, 1})});
    const ValueId scale = g.constant(floats({1, 2, 3, 4}));
    const ValueId normal = g.op("LayerNormalization", {rows, scale}, {flag("axis", -1)});
    return g.op("Add", {h, g.op("Transpose", {normal}, {integers("perm", {0, 3, 1, 2})})});
  };
  check_between(layer, 4, " LayerNormalization Add");
}

TEST(channels_last_axes, shuffled_channels_are_shuffled_in_their_rows) {
  const auto shuffle = [](Fed& g, ValueId h) {
    const ValueId apart = g.op("Reshape", {h, g.constant(counts({1, 2, 2, 6, 5}))});
    const ValueId turned = g.op("Transpose", {apart}, {integers("perm", {0, 2, 1, 3, 4})});
    return g.op("Reshape", {turned, g.constant(counts({1, 4, 6, 5}))});
  };
  check_between(shuffle, 4, " Reshape Transpose Reshape");
}

TEST(channels_last_axes, operands_of_early_opsets_lie_where_they_did) {
  const auto add = [](Fed& g, ValueId h) {
    return g.op("Sub", {h, g.constant(floats({1, 2, 3, 4}))},
                {flag("broadcast", 1), flag("axis", 1)});
  };
  check_early(add, "Sub", 6);
  const auto slopes = [](Fed& g, ValueId h) {
    return g.op("PRelu", {h, g.constant(floats({1, 2, 3, 4}))});
  };
  check_early(slopes, "PRelu", 6);
  const auto shuffle = [](Fed& g, ValueId h) {
    const ValueId apart = g.op("Reshape", {h}, {integers("shape", {1, 2, 2, 6, 5})});
    const ValueId turned = g.op("Transpose", {apart}, {integers("perm", {0, 2, 1, 3, 4})});
    return g.op("Reshape", {turned}, {integers("shape", {1, 4, 6, 5})});
  };
  check_early(shuffle, "Reshape Transpose Reshape", 4);
}

// DenseNet's order: what was joined is normalised, then read by a convolution.
TEST(channels_last_axes, a_batch_norm_in_front_of_a_convolution_is_a_window_of_one_pixel) {
  const auto norm = [](Fed& g, ValueId h) {
    const ValueId joined = g.op("Concat", {h, g.op("Neg", {h})}, {flag("axis", 1)});
    const ValueId ones = g.constant(floats({1, 2, 1, 2, 1, 2, 1, 2}));
    const ValueId mean = g.constant(floats({0, 0.5f, 0, 1, 0, -1, 0, 2}));
    return g.op("Relu", {g.op("BatchNormalization", {joined, ones, mean, mean, ones})});
  };
  check_between(norm, 8, " Neg Concat Conv");
}

TEST(channels_last_axes, a_batch_norm_behind_a_convolution_is_such_a_window_too) {
  const auto norm = [](Fed& g, ValueId h) {
    const ValueId numbers = g.constant(floats({1, 2, 0.5f, 3}));
    return g.op("BatchNormalization", {g.op("Relu", {h}), numbers, numbers, numbers, numbers});
  };
  check_axes(norm, " Conv Transpose");
}
