// SPDX-License-Identifier: MIT
// Resize between channels-last operators: it works on the twin, with scales, sizes and axes in the
// twin's order, and gives the numbers that it gives in ONNX's layout.
#include "core/graph/verify.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using ortc::test::GraphBuilder;

namespace {

const Dims kImage = {1, 3, 6, 5};

// What Resize reads behind its first input, and how.
struct Form {
  std::vector<Tensor> lists;  // roi, scales, sizes; an empty one is left out
  std::vector<Attribute> attributes;
  bool computed = false;  // lists are inputs of the graph
};

Tensor floats(std::vector<float> numbers) {
  return Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers);
}
Tensor counts(std::vector<int64_t> numbers) {
  return Tensor::from<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
}

ValueId conv(GraphBuilder& g, ValueId x, Dims w, uint32_t seed) {
  return g.node("Conv", {x, g.random_floats(str_cat("w", seed), w, seed)}, {str_cat("c", seed)})[0];
}

// Conv, Resize, Relu, Conv. The inputs of a run go to `fed`.
void build(GraphBuilder& g, const Form& form, std::vector<Tensor>* fed) {
  const auto numbers = test::random_numbers(90, 7, 2.0f);
  fed->push_back(Tensor::from<float>(kImage, numbers));
  std::vector<ValueId> inputs = {conv(g, g.input("x", DType::kFloat32, kImage), {4, 3, 1, 1}, 1)};
  for (const Tensor& list : form.lists) {
    if (!list.is_defined()) {
      inputs.push_back(kNoValue);
    } else if (form.computed) {
      inputs.push_back(g.input("list", list.dtype(), list.dims()));
      fed->push_back(list);
    } else {
      inputs.push_back(g.graph().add_constant("list", list));
    }
  }
  const ValueId h = g.node("Resize", inputs, {"r"}, form.attributes)[0];
  g.output(conv(g, g.node("Relu", {h}, {"relu"})[0], {2, 4, 3, 3}, 2));
  g.infer();
}

std::string operators(const Graph& graph) {
  std::string text;
  for (NodeId id : graph.topological_order().value()) text += " " + graph.node(id)->op_type();
  return text;
}

void check(const Form& form, const std::string& expected) {
  GraphBuilder plain(19), fused(19);
  std::vector<Tensor> fed, again;
  build(plain, form, &fed);
  build(fused, form, &again);
  CHECK_OK(apply_fusions(fused.graph(), cpu::lowering_rules(), Logger()));
  CHECK_OK(verify_graph(fused.graph()));
  CHECK_EQ(operators(fused.graph()), expected);
  const Tensor y = test::run_graph(plain.graph(), fed)[0];
  const Tensor z = test::run_graph(fused.graph(), fed)[0];
  CHECK(y.dims() == z.dims());
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const auto at = static_cast<size_t>(i);
    CHECK_NEAR(z.elements<float>()[at], y.elements<float>()[at], 1e-5, 1e-5);
  }
}

const std::string kLast = " Transpose Conv Resize Relu Conv Transpose";
const std::string kTurned = " Transpose Conv Gather Resize Relu Conv Transpose";
const Attribute kLinear = Attribute::of_string("mode", "linear");

}  // namespace

TEST(channels_last_resize, constants_are_turned) {
  check({{Tensor(), floats({1, 1, 2, 3})}, {}}, kLast);
  check({{Tensor(), floats({1, 1, 2, 3})}, {kLinear}}, kLast);
  check({{floats({}), floats({}), counts({1, 4, 9, 4})}, {kLinear}}, kLast);
  check({{Tensor(), floats({1, 1, 1.5f, 2}), Tensor()},
         {Attribute::of_string("mode", "cubic"),
          Attribute::of_string("coordinate_transformation_mode", "align_corners")}},
        kLast);
}

TEST(channels_last_resize, computed_lists_are_turned_in_each_run) {
  check({{Tensor(), Tensor(), counts({1, 4, 9, 4})}, {kLinear}, true}, kTurned);
  check({{Tensor(), floats({1, 1, 2, 3})}, {}, true}, kTurned);
}

TEST(channels_last_resize, axes_by_name_find_their_place) {
  const Attribute axes = Attribute::of_ints("axes", {3, -2});
  check({{Tensor(), floats({3, 2})}, {axes, kLinear}}, kLast);
  check({{Tensor(), Tensor(), counts({4, 9})},
         {axes, Attribute::of_string("keep_aspect_ratio_policy", "not_larger")}},
        kLast);
}

TEST(channels_last_resize, a_region_keeps_the_layout) {
  check({{floats({0, 0, 0.1f, 0.2f, 1, 1, 0.9f, 0.8f}), floats({1, 1, 2, 3})},
         {kLinear, Attribute::of_string("coordinate_transformation_mode", "tf_crop_and_resize")}},
        " Transpose Conv Transpose Resize Relu Transpose Conv Transpose");
}

// It may be much larger than what it is made of.
TEST(channels_last_resize, a_result_that_leaves_the_graph_is_not_turned) {
  GraphBuilder g(19);
  const ValueId h = conv(g, g.input("x", DType::kFloat32, kImage), {4, 3, 1, 1}, 1);
  const ValueId scales = g.graph().add_constant("scales", floats({1, 1, 8, 8}));
  g.output(g.node("Resize", {h, kNoValue, scales}, {"y"}, {kLinear})[0]);
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  CHECK_EQ(operators(g.graph()), " Transpose Conv Transpose Resize");
}

ORTC_TEST_MAIN()
