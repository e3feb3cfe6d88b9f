// SPDX-License-Identifier: MIT
// Type and shape inference: symbols, contents, merging. What it refuses: infer_refusals_test.cc.
#include "core/ops/infer.h"

#include <limits>

#include "tests/core/ops/infer_testing.h"
#include "tests/core/optimise/test_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The type of one node's output over inputs of these shapes.
std::string type_of(std::string op, std::vector<Shape> shapes,
                    std::vector<Attribute> attributes = {}, int64_t opset = 17) {
  TestGraph g(opset);
  std::vector<ValueId> inputs;
  for (Shape& shape : shapes) inputs.push_back(g.input(str_cat("x", inputs.size()), kFloat, shape));
  const ValueId y = g.node(std::move(op), inputs, std::move(attributes));
  g.infer();
  return g.type(y);
}

}  // namespace

TEST(infer, broadcasts_numbers_and_symbols) {
  CHECK_EQ(type_of("Add", {{n(), of(1)}, {of(5)}}), "float32[n,5]");
  CHECK_EQ(type_of("Add", {{n(), of(3)}, {n(), of(3)}}), "float32[n,3]");
  CHECK_EQ(type_of("Add", {{n()}, {Dim::named("m")}}), "float32[?]");
  CHECK_EQ(type_of("Add", {{n()}, {of(4)}}), "float32[4]");
  CHECK_EQ(type_of("Less", {{of(2), of(1)}, {n()}}), "bool[2,n]");
  CHECK_EQ(type_of("MatMul", {{n(), of(2), of(3)}, {of(3), of(4)}}), "float32[n,2,4]");
  CHECK_EQ(type_of("MatMul", {{of(3)}, {of(3)}}), "float32[]");
}

TEST(infer, gives_an_unknown_size_a_symbol_so_that_later_shapes_compare) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n()});
  const ValueId y = g.input("other", kFloat, {Dim::named("m")});
  const ValueId sum = g.node("Add", {x, y});
  const ValueId left = g.node("Relu", {sum}), right = g.node("Abs", {sum});
  const ValueId both = g.node("Mul", {left, right});
  g.output(g.node("Neg", {both}));
  g.infer();
  const Shape& a = *g.graph().value(sum)->type.shape;
  CHECK(!a[0].symbol.empty());
  CHECK(a[0].same_as((*g.graph().value(both)->type.shape)[0]));
}

TEST(infer, counts_windows) {
  CHECK_EQ(
      type_of("Conv", {{n(), of(3), of(224), of(224)}, {of(64), of(3), of(7), of(7)}},
              {Attribute::of_ints("strides", {2, 2}), Attribute::of_ints("pads", {3, 3, 3, 3})}),
      "float32[n,64,112,112]");
  CHECK_EQ(type_of("Conv", {{of(1), of(8), n(), of(9)}, {of(8), of(1), of(3), of(3)}},
                   {Attribute::of_int("group", 8), Attribute::of_ints("pads", {1, 1, 1, 1}),
                    Attribute::of_ints("dilations", {1, 2})}),
           "float32[1,8,n,7]");
  const std::vector<Attribute> pool = {Attribute::of_ints("kernel_shape", {3, 3}),
                                       Attribute::of_ints("strides", {2, 2}),
                                       Attribute::of_int("ceil_mode", 1)};
  CHECK_EQ(type_of("MaxPool", {{of(1), of(2), of(4), of(5)}}, pool), "float32[1,2,2,2]");
  CHECK_EQ(type_of("ConvTranspose", {{of(1), of(4), of(5), of(5)}, {of(4), of(3), of(2), of(2)}},
                   {Attribute::of_ints("strides", {2, 2}), Attribute::of_int("group", 2)}),
           "float32[1,6,10,10]");
  CHECK_EQ(type_of("MaxPool", {{of(1), of(1), of(11)}},
                   {Attribute::of_ints("kernel_shape", {4}), Attribute::of_ints("strides", {4}),
                    Attribute::of_string("auto_pad", "VALID"), Attribute::of_int("ceil_mode", 1)}),
           "float32[1,1,3]");
  // The last window would lie in the padding only: it does not count.
  CHECK_EQ(
      type_of("MaxPool", {{of(1), of(1), of(2), of(2)}},
              {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("strides", {3, 3}),
               Attribute::of_ints("pads", {0, 0, 1, 1}), Attribute::of_int("ceil_mode", 1)}),
      "float32[1,1,1,1]");
}

TEST(infer, reads_axes_from_attributes_and_from_inputs) {
  CHECK_EQ(type_of("ReduceMean", {{n(), of(3), of(4)}}, {Attribute::of_ints("axes", {-1})}),
           "float32[n,3,1]");
  TestGraph g(18);
  const ValueId x = g.input("x", kFloat, {n(), of(3), of(4)});
  const ValueId y =
      g.node("ReduceMean", {x, g.ints("axes", {1})}, {Attribute::of_int("keepdims", 0)});
  const ValueId all = g.node("ReduceMean", {x}, {Attribute::of_int("keepdims", 0)});
  const ValueId same = g.node("ReduceMean", {x}, {Attribute::of_int("noop_with_empty_axes", 1)});
  g.infer();
  CHECK_EQ(g.type(y), "float32[n,4]");
  CHECK_EQ(g.type(all), "float32[]");
  CHECK_EQ(g.type(same), "float32[n,3,4]");
}

TEST(infer, follows_computed_shapes_with_their_symbols) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n(), Dim::named("s"), of(768)});
  const ValueId shape = g.node("Shape", {x});
  const ValueId batch = g.node("Gather", {shape, g.constant("i", Tensor::scalar<int64_t>(0))});
  const ValueId rows = g.node("Gather", {shape, g.constant("j", Tensor::scalar<int64_t>(1))});
  const ValueId target =
      g.node("Concat",
             {g.node("Unsqueeze", {batch, g.ints("a", {0})}),
              g.node("Unsqueeze", {rows, g.ints("a", {0})}), g.ints("heads", {12, -1})},
             {Attribute::of_int("axis", 0)});
  const ValueId heads = g.node("Reshape", {x, target});
  const ValueId turned = g.node("Transpose", {heads}, {Attribute::of_ints("perm", {0, 2, 1, 3})});
  g.infer();
  CHECK_EQ(g.type(heads), "float32[n,s,12,64]");
  CHECK_EQ(g.type(turned), "float32[n,12,s,64]");
}

TEST(infer, follows_the_exporters_way_of_expanding) {
  // Where(Equal(shape, -1), 1, shape), as it stands before an Expand.
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n(), of(1), of(4)});
  const ValueId wanted =
      g.node("Concat",
             {g.node("Gather", {g.node("Shape", {x}), g.ints("i", {0})}), g.ints("rest", {8, -1})},
             {Attribute::of_int("axis", 0)});
  const ValueId ones =
      g.node("ConstantOfShape", {g.ints("three", {3})},
             {Attribute::of_tensor("value", Tensor::from<int64_t>({1}, std::vector<int64_t>{1}))});
  const ValueId minus = g.node("Mul", {ones, g.constant("m", Tensor::scalar<int64_t>(-1))});
  const ValueId is_open = g.node("Equal", {wanted, minus});
  const ValueId y = g.node("Expand", {x, g.node("Where", {is_open, ones, wanted})});
  g.infer();
  CHECK_EQ(g.type(y), "float32[n,8,4]");
}

TEST(infer, reshapes_by_cancelling_what_both_sides_have) {
  const auto reshaped = [](Shape shape, std::vector<int64_t> target) {
    TestGraph g(17);
    const ValueId x = g.input("x", kFloat, std::move(shape));
    const ValueId y = g.node("Reshape", {x, g.ints("t", std::move(target))});
    g.infer();
    return g.type(y);
  };
  CHECK_EQ(reshaped({of(2), of(3), of(4)}, {4, -1}), "float32[4,6]");
  CHECK_EQ(reshaped({n(), of(3), of(4)}, {0, -1}), "float32[n,12]");
  CHECK_EQ(reshaped({n(), of(12)}, {-1, 12}), "float32[n,12]");
  CHECK_EQ(reshaped({n(), of(12)}, {-1, 6}), "float32[?,6]");
  CHECK_EQ(reshaped({Dim::unknown(), of(12)}, {0, 3, -1}), "float32[?,3,4]");
}

TEST(infer, slices_known_dims_and_keeps_whole_symbols) {
  TestGraph g(13);
  const ValueId x = g.input("x", kFloat, {n(), of(10)});
  const ValueId cut = g.node("Slice", {x, g.ints("b", {0, -1}), g.ints("e", {INT64_MAX, -11}),
                                       g.ints("a", {0, 1}), g.ints("t", {1, -3})});
  const ValueId head =
      g.node("Slice", {x, g.ints("b", {1}), g.ints("e", {INT64_MAX}), g.ints("a", {0})});
  g.infer();
  CHECK_EQ(g.type(cut), "float32[n,4]");
  CHECK_EQ(g.type(head), "float32[?,10]");
}

TEST(infer, uses_the_default_of_each_opset) {
  CHECK_EQ(type_of("Split", {{of(7)}}, {Attribute::of_int("num_outputs", 1)}, 18), "float32[7]");
  TestGraph g(18);
  const auto parts =
      g.nodes("Split", {g.input("x", {7})}, 3, {Attribute::of_int("num_outputs", 3)});
  g.infer();
  CHECK_EQ(g.type(parts[0]), "float32[3]");
  CHECK_EQ(g.type(parts[2]), "float32[1]");
  CHECK_EQ(type_of("Add", {{of(2), of(3)}, {of(2)}},
                   {Attribute::of_int("broadcast", 1), Attribute::of_int("axis", 0)}, 6),
           "float32[2,3]");
}

TEST(infer, merges_what_the_file_says) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {Dim::unknown(), of(3)});
  const ValueId y = g.node("Relu", {x});
  g.graph().value(y)->type = Type::tensor(kFloat, Shape{Dim::named("rows"), Dim::unknown()});
  g.infer();
  CHECK_EQ(g.type(y), "float32[rows,3]");
}

TEST(infer, leaves_unknown_operators_as_they_are) {
  TestGraph g(17);
  const ValueId x = g.input("x", {2});
  const ValueId y = g.node("NoSuchOperator", {x});
  g.graph().value(y)->type = Type::tensor(DType::kInt8, Shape{n()});
  const ValueId z = g.node("Identity", {y});
  g.infer();
  CHECK_EQ(g.type(z), "int8[?]");
}

TEST(infer, puts_numbers_in_the_place_of_symbols_and_denotations) {
  TestGraph g(17);
  Dim channels;
  channels.denotation = "DATA_CHANNEL";
  const ValueId x = g.input("x", kFloat, {n(), channels, Dim::named("m")});
  const ValueId y = g.node("Relu", {x});
  InferOptions options;
  options.dim_values = {{"n", 4}};
  options.denotation_values = {{"DATA_CHANNEL", 3}};
  CHECK_OK(infer_types(g.graph(), options));
  CHECK_EQ(g.type(y), "float32[4,3,m]");
}

namespace {

// A loop body that carries one value, changes it by `op` and gives it out each time, too.
std::shared_ptr<Graph> loop_body(TestGraph& g, const std::string& op, bool doubles) {
  auto body = std::make_shared<Graph>(g.model.opsets, &g.graph());
  body->name = "body";
  std::vector<ValueId> ids;
  for (const char* name : {"i", "go", "carried", "going", "next", "each"}) {
    ids.push_back(body->add_value(name).value());
  }
  for (size_t i = 0; i < 3; ++i) body->add_input(ids[i]);
  CHECK_OK(body->add_node("Identity", "", "", {ids[1]}, {ids[3]}));
  std::vector<ValueId> operands = {ids[2]};
  if (doubles) operands.push_back(ids[2]);
  CHECK_OK(body->add_node(
      op, "", "", operands, {ids[4]},
      doubles ? std::vector<Attribute>{Attribute::of_int("axis", 0)} : std::vector<Attribute>{}));
  CHECK_OK(body->add_node("Identity", "", "", {ids[4]}, {ids[5]}));
  for (size_t i = 3; i < 6; ++i) body->add_output(ids[i]);
  return body;
}

}  // namespace

TEST(infer, keeps_the_shape_that_every_iteration_keeps) {
  for (const bool doubles : {false, true}) {
    TestGraph g(17);
    const ValueId count = g.constant("count", Tensor::scalar<int64_t>(3));
    const ValueId x = g.input("x", kFloat, {n(), of(2)});
    const auto outputs =
        g.nodes("Loop", {count, kNoValue, x}, 2,
                {graph_attribute("body", loop_body(g, doubles ? "Concat" : "Relu", doubles))});
    g.infer();
    CHECK_EQ(g.type(outputs[0]), doubles ? "float32[?,2]" : "float32[n,2]");
    CHECK_EQ(g.type(outputs[1]), doubles ? "float32[?,?,2]" : "float32[?,n,2]");
  }
}

TEST(infer, gives_an_if_what_both_branches_have) {
  TestGraph g(17);
  const ValueId condition = g.input("c", DType::kBool, {});
  g.input("x", kFloat, {n(), of(2)});
  const auto branch = [&g](int64_t axis) {
    auto inner = std::make_shared<Graph>(g.model.opsets, &g.graph());
    const ValueId x = inner->capture(g.graph().find_value("x")->id).value();
    const ValueId y = inner->add_value("y").value();
    CHECK_OK(inner->add_node("Concat", "", "", {x, x}, {y}, {Attribute::of_int("axis", axis)}));
    inner->add_output(y);
    return inner;
  };
  const ValueId y = g.node(
      "If", {condition},
      {graph_attribute("then_branch", branch(0)), graph_attribute("else_branch", branch(1))});
  g.infer();
  CHECK_EQ(g.type(y), "float32[?,?]");
}

TEST(infer, slices_backwards_from_the_first_element_at_least) {
  for (const int64_t size : {0, 3}) {
    TestGraph g(13);
    const ValueId x = g.input("x", {size});
    const ValueId y = g.node("Slice", {x, g.ints("b", {-10}), g.ints("e", {INT64_MIN}),
                                       g.ints("a", {0}), g.ints("s", {-1})});
    g.output(y);
    g.infer();
    CHECK_EQ(g.type(y), size == 0 ? "float32[0]" : "float32[1]");
  }
}

TEST(infer, counts_no_windows_where_they_are_one_stride_too_large) {
  const auto pooled = [](int64_t size, int64_t stride) {
    TestGraph g(13);
    const ValueId x = g.input("x", {1, 1, size});
    const ValueId y =
        g.node("MaxPool", {x},
               {Attribute::of_ints("kernel_shape", {3}), Attribute::of_ints("strides", {stride})});
    g.output(y);
    return infer_types(g.graph()).is_ok() ? g.type(y) : std::string();
  };
  CHECK_EQ(pooled(2, 1), "float32[1,1,0]");
  CHECK_EQ(pooled(0, 2), "float32[1,1,0]");
  CHECK_EQ(pooled(1, 1), "");  // less than none
  CHECK_EQ(pooled(2, 2), "");  // none or one, as one rounds
}

TEST(infer, compares_counts_of_windows_over_one_unknown_size) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n(), of(2), Dim::named("h"), Dim::named("w")});
  const auto width = [&](ValueId of, int64_t kernel, int64_t stride, std::vector<int64_t> pads,
                         const char* auto_pad = "NOTSET") {
    const ValueId w = g.constant("w", Tensor::create(kFloat, {2, 2, 1, kernel}).value());
    return g.node("Conv", {of, w},
                  {Attribute::of_ints("strides", {1, stride}), Attribute::of_ints("pads", pads),
                   Attribute::of_string("auto_pad", auto_pad)});
  };
  const ValueId halved = width(x, 3, 2, {0, 1, 0, 1});
  const std::vector<ValueId> alike = {halved, width(x, 1, 2, {0, 0, 0, 0}),
                                      width(x, 5, 2, {0, 0, 0, 0}, "SAME_UPPER")};
  const std::vector<ValueId> others = {x, width(x, 3, 2, {0, 0, 0, 0}),
                                       width(x, 2, 1, {0, 0, 0, 0}), width(x, 1, 3, {0, 0, 0, 0}),
                                       width(halved, 1, 2, {0, 0, 0, 0})};
  const ValueId shown = width(x, 1, 2, {0, 0, 0, 0});
  for (ValueId id : alike) g.node("Relu", {id});
  g.output(shown);
  g.infer();
  const auto dim = [&](ValueId id) { return (*g.graph().value(id)->type.shape)[3]; };
  for (ValueId id : alike) CHECK(dim(id).same_as(dim(halved)));
  for (ValueId id : others) CHECK(!dim(id).same_as(dim(halved)));
  CHECK_EQ(g.type(shown), "float32[n,2,h,?]");
}

TEST(infer, keeps_apart_unknown_sizes_of_sub_graphs_with_equal_names) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n(), of(4)});
  const ValueId flag = g.input("flag", DType::kBool, {});
  // y = NonZero(x), z = Neg(y): as many columns as x has elements that are not zero.
  const auto branch = [&] {
    auto graph = std::make_shared<Graph>(g.model.opsets, &g.graph());
    const ValueId outer = graph->capture(x).value();
    const ValueId y = graph->add_value("y").value(), z = graph->add_value("z").value();
    CHECK_OK(graph->add_node("NonZero", "", "", {outer}, {y}));
    CHECK_OK(graph->add_node("Neg", "", "", {y}, {z}));
    graph->add_output(z);
    return graph;
  };
  const auto choice = [&] {
    return g.node(
        "If", {flag},
        {graph_attribute("then_branch", branch()), graph_attribute("else_branch", branch())});
  };
  const ValueId a = choice(), b = choice();
  g.infer();
  const auto columns = [&](ValueId id) { return (*g.graph().value(id)->type.shape)[1]; };
  CHECK(!columns(a).is_known() && !columns(a).same_as(columns(b)));
}

TEST(infer, says_nothing_of_all_elements_that_a_sequence_map_found_in_one) {
  TestGraph g(17);
  const ValueId sequence = g.node("SequenceConstruct", {g.input("a", kFloat, {n(), of(2)}),
                                                        g.input("b", kFloat, {n(), of(2)})});
  auto body = std::make_shared<Graph>(g.model.opsets, &g.graph());
  const ValueId x = body->add_value("x").value(), twice = body->add_value("twice").value();
  const ValueId y = body->add_value("y").value(), z = body->add_value("z").value();
  body->add_input(x);
  CHECK_OK(body->add_node("NonZero", "", "", {x}, {y}));
  CHECK_OK(body->add_node("Neg", "", "", {y}, {z}));
  CHECK_OK(body->add_node("Neg", "", "", {x}, {twice}));
  body->add_output(z);
  body->add_output(twice);
  const auto found = g.nodes("SequenceMap", {sequence}, 2, {graph_attribute("body", body)});
  g.infer();
  CHECK_EQ(type_to_string(g.graph().value(found[0])->type), "seq(int64[2,?])");
  CHECK_EQ(type_to_string(g.graph().value(found[1])->type), "seq(float32[n,2])");
}

TEST(infer, counts_a_range_in_its_own_precision) {
  TestGraph g(17);  // the span is 2^24 + 1, and 2^24 in float32
  const ValueId y = g.node("Range", {g.scalar(-3), g.scalar(16777214), g.scalar(1)});
  g.infer();
  CHECK_EQ(g.type(y), "float32[16777216]");
}

TEST(infer, takes_an_empty_output_padding_for_none) {
  CHECK_EQ(type_of("ConvTranspose", {{of(1), of(1), of(2), of(2)}, {of(1), of(1), of(2), of(2)}},
                   {Attribute::of_ints("output_padding", {})}),
           "float32[1,1,3,3]");
}

TEST(infer, reads_an_equation_with_blanks) {
  CHECK_EQ(type_of("Einsum", {{n(), of(3), of(4)}},
                   {Attribute::of_string("equation", ". .. a -> a...")}),
           "float32[4,n,3]");
}

// Exporters give sizes one name that are not one size.
TEST(infer, takes_a_name_of_the_file_for_a_size_only_at_inputs) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n(), of(4)});
  const ValueId twice = g.node("Concat", {x, x}, {Attribute::of_int("axis", 0)});
  const ValueId same = g.node("Relu", {x}), after = g.node("Neg", {twice});
  for (const ValueId id : {twice, same}) {
    g.output(id, g.graph().value(id)->name + "_out");
    g.graph().value(id)->type = Type::tensor(kFloat, Shape{n(), of(4)});
  }
  g.infer();
  const auto dim = [&](ValueId id) { return (*g.graph().value(id)->type.shape)[0]; };
  CHECK(dim(same).same_as(dim(x)));
  CHECK(!dim(twice).same_as(dim(x)) && !dim(after).same_as(dim(x)));
  CHECK_EQ(type_to_string(g.graph().value(twice)->type), "float32[n,4]");  // as callers see it
}

TEST(infer, shows_an_outputs_own_name_for_a_size_of_an_input) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n()});
  const ValueId y = g.node("Relu", {x}), z = g.node("Neg", {y});
  g.output(y);
  g.graph().value(y)->type = Type::tensor(kFloat, Shape{Dim::named("rows")});
  g.infer();
  CHECK_EQ(type_to_string(g.graph().value(y)->type), "float32[rows]");
  CHECK((*g.graph().value(z)->type.shape)[0].same_as(n()));
}

TEST(infer, prefers_a_size_of_an_input_to_a_number_of_the_file) {
  TestGraph g(17);
  const ValueId x = g.input("x", kFloat, {n()});
  const ValueId y = g.node("Relu", {x}), z = g.node("Neg", {y});
  g.output(z);
  for (const ValueId id : {y, z}) g.graph().value(id)->type = Type::tensor(kFloat, Shape{of(2)});
  g.infer();
  CHECK_EQ(g.type(y), "float32[n]");
  CHECK_EQ(g.type(z), "float32[2]");  // nobody but callers sees it
}

TEST(infer, follows_no_negation_that_wraps_around) {
  TestGraph g(17);
  const std::vector<int32_t> number = {std::numeric_limits<int32_t>::min()};
  const ValueId least = g.constant("least", Tensor::from<int32_t>({1}, number));
  const ValueId wide = g.node("Cast", {g.node("Neg", {least})}, {Attribute::of_int("to", 7)});
  g.infer();
  const ValueId shape = g.node("ConstantOfShape", {wide});
  g.infer();
  CHECK_EQ(g.type(shape), "float32[?]");
}

TEST(infer, squeezes_every_one_when_the_axes_are_empty) {
  TestGraph g(17);
  const ValueId x = g.input("x", {1, 3, 1});
  const ValueId y = g.node("Squeeze", {x, g.ints("axes", {})});
  g.infer();
  CHECK_EQ(g.type(y), "float32[3]");
}
