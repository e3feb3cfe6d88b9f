// SPDX-License-Identifier: MIT
// What type and shape inference refuses, and with which words.
#include "core/ops/infer.h"
#include "core/rewrite/changes.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/core/optimise/test_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::string error_of(TestGraph& g) { return infer_types(g.graph()).to_string(); }

}  // namespace

TEST(infer_refusals, names_node_value_expected_and_found) {
  TestGraph g(17);
  const ValueId y = g.node("Relu", {g.input("x", {2})});
  g.output(y, "result");
  g.graph().value(y)->type = Type::tensor(kFloat, Shape{of(3)});
  const std::string error = error_of(g);
  for (const char* part : {"INVALID_GRAPH", "Relu", "'result'", "float32[3]", "float32[2]"}) {
    CHECK(contains(error, part));
  }
}

TEST(infer_refusals, refuses_impossible_nodes) {
  const auto error = [](std::string op, std::vector<Shape> shapes,
                        std::vector<Attribute> attributes = {}) {
    TestGraph g(17);
    std::vector<ValueId> inputs;
    for (Shape& shape : shapes)
      inputs.push_back(g.input(str_cat("x", inputs.size()), kFloat, shape));
    g.node(std::move(op), inputs, std::move(attributes));
    return error_of(g);
  };
  CHECK(contains(error("Add", {{of(2)}}), "has 1 inputs, expected 2 to 2"));
  CHECK(contains(error("Add", {{of(2)}, {of(3)}}), "do not broadcast"));
  CHECK(contains(error("Concat", {{of(2)}}), "required attribute 'axis'"));
  CHECK(contains(error("Softmax", {{of(2)}}, {Attribute::of_int("axis", 1)}), "axis 1"));
  CHECK(contains(error("Conv", {{of(1), of(3), of(8), of(8)}, {of(1), of(3), of(3)}}),
                 "weight has rank 3, expected 4"));
  CHECK(contains(error("Conv", {{of(1), of(3), of(8), of(8)}, {of(1), of(2), of(3), of(3)}}),
                 "channels"));
  CHECK(contains(error("Transpose", {{of(1), of(2)}}, {Attribute::of_ints("perm", {0, 0})}),
                 "twice"));
  CHECK(contains(error("Cast", {{of(1)}}, {Attribute::of_int("to", 99)}), "99"));
}

TEST(infer_refusals, refuses_values_that_no_form_allows) {
  const auto error = [](int64_t opset, const std::string& op, std::vector<Attribute> attributes) {
    TestGraph g(opset);
    const ValueId x = g.input("x", {1, 2, 4, 4});
    g.node(op, op == "CumSum" ? std::vector{x, g.ints("axis", {1})} : std::vector{x},
           std::move(attributes));
    return error_of(g);
  };
  CHECK(contains(error(20, "Gelu", {Attribute::of_string("approximate", "foo")}),
                 "'foo', expected one of none, tanh"));
  CHECK(
      contains(error(17, "CumSum", {Attribute::of_int("exclusive", 5)}), "is 5, expected 0 or 1"));
  CHECK(contains(error(17, "ReduceMax", {Attribute::of_int("keepdims", 2)}), "'keepdims' is 2"));
  CHECK(contains(error(17, "ArgMax", {Attribute::of_int("keepdims", 2)}), "'keepdims' is 2"));
  CHECK(contains(
      error(17, "MaxPool",
            {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("pads", {0, 0, 0, 2})}),
      "holds 2, expected less than the kernel's 2"));
}

// Longer lists than any operator has, which must not be compared with each other.
TEST(infer_refusals, refuses_lists_without_end_at_once) {
  TestGraph g(11);
  std::vector<int64_t> axes(10'000'000);
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  g.node("Unsqueeze", {g.input("x", kFloat, {n()})}, {Attribute::of_ints("axes", axes)});
  CHECK(contains(error_of(g), "rank 10000001, at most 64"));
  const auto einsum = [](const std::string& equation) {
    TestGraph g(12);
    const ValueId x = g.input("x", kFloat, {of(2), of(3), of(4)});
    g.output(g.node("Einsum", {x}, {Attribute::of_string("equation", equation)}));
    return error_of(g);
  };
  CHECK(contains(einsum(std::string(10'000'000, '.')), "is not understood"));
  CHECK(contains(einsum("..->..."), "is not understood"));
  CHECK(contains(einsum("...a...->a"), "twice in a term"));
}

TEST(infer_refusals, refuses_pads_beyond_any_image) {
  const auto error = [](const char* op, std::vector<int64_t> pads) {
    TestGraph g(17);
    const ValueId x = g.input("x", kFloat, {of(1), of(1), of(5)});
    std::vector<ValueId> inputs = {x};
    if (std::string_view(op) == "ConvTranspose")
      inputs.push_back(g.input("w", kFloat, {of(1), of(1), of(3)}));
    if (std::string_view(op) == "MaxUnpool")
      inputs.push_back(g.input("i", DType::kInt64, {of(1), of(1), of(5)}));
    g.output(g.node(op, inputs,
                    {Attribute::of_ints("kernel_shape", {3}), Attribute::of_ints("pads", pads)}));
    return error_of(g);
  };
  for (const char* op : {"MaxPool", "AveragePool", "ConvTranspose", "MaxUnpool"}) {
    for (const int64_t pad : {INT64_MAX, INT64_MIN, int64_t{1} << 31}) {
      CHECK(contains(error(op, {pad, 0}), str_cat("'pads' holds ", pad)));
      CHECK(contains(error(op, {0, pad}), str_cat("'pads' holds ", pad)));
    }
  }
  // What the sizes themselves make too large.
  const auto large = [](int64_t size, std::vector<Attribute> attributes) {
    TestGraph g(17);
    g.output(
        g.node("MaxPool", {g.input("x", kFloat, {of(1), of(1), of(size)})}, std::move(attributes)));
    return error_of(g);
  };
  const auto kernel = [](int64_t k) { return Attribute::of_ints("kernel_shape", {k}); };
  CHECK(contains(large(INT64_MAX, {kernel(3), Attribute::of_ints("pads", {1, 1})}), "overflow"));
  CHECK(contains(large(5, {kernel(INT64_MAX), Attribute::of_ints("pads", {-9, -9})}), "overflow"));
  CHECK(large(INT64_MAX, {kernel(1), Attribute::of_ints("strides", {INT64_MAX}),
                          Attribute::of_int("ceil_mode", 1)}) == "OK");
}

TEST(infer_refusals, refuses_to_leave_out_inputs_that_are_not_optional) {
  const auto error_without = [](std::string op, std::vector<bool> given) {
    TestGraph g(17);
    std::vector<ValueId> inputs;
    for (const bool is_given : given) {
      inputs.push_back(is_given ? g.input(str_cat("x", inputs.size()), {2, 2}) : kNoValue);
    }
    g.node(std::move(op), std::move(inputs));
    return error_of(g);
  };
  CHECK(contains(error_without("Transpose", {false}), "input 0, 'data', is left out"));
  CHECK(contains(error_without("Max", {true, false, true}), "input 1, 'data_0', is left out"));
  CHECK_EQ(error_without("Clip", {true, false, false}), "OK");
}

TEST(infer_refusals, refuses_to_leave_out_outputs_that_are_not_optional) {
  const auto error_with = [](std::string op, std::string domain, std::vector<bool> given) {
    TestGraph g(17);
    import_domain(g.graph(), "com.microsoft", 1);
    std::vector<ValueId> outputs;
    for (const bool is_given : given) {
      const auto name = str_cat("y", outputs.size());
      outputs.push_back(is_given ? g.graph().add_value(name).value() : kNoValue);
    }
    std::vector<ValueId> inputs = {g.input("x", {4, 2})};
    if (op == "TopK") inputs.push_back(g.ints("k", {1}));
    if (op == "BiasDropout") inputs.push_back(inputs[0]);
    CHECK_OK(g.graph().add_node(std::move(op), std::move(domain), "", inputs, std::move(outputs)));
    return error_of(g);
  };
  CHECK(contains(error_with("Shape", "", {false}), "output 0, 'shape', is left out"));
  CHECK(contains(error_with("TopK", "", {false, true}), "output 0, 'Values', is left out"));
  CHECK(contains(error_with("BiasDropout", "com.microsoft", {false, true}), "output 0, 'output'"));
  CHECK_EQ(error_with("Unique", "", {true, false, false, true}), "OK");
  CHECK_EQ(error_with("Split", "", {false, true}), "OK");
}

TEST(infer_refusals, takes_an_early_resize_without_what_later_ones_may_leave_out) {
  TestGraph g(11);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId scales = g.floats("scales", {4}, {1, 1, 2, 2});
  const ValueId y = g.node("Resize", {x, kNoValue, scales});
  g.infer();
  CHECK_EQ(g.type(y), "float32[1,1,4,4]");
}

TEST(infer_refusals, refuses_ranks_that_nothing_can_handle) {
  TestGraph g(17);
  ValueId x = g.input("x", DType::kInt64, {of(1), of(1)});
  for (int i = 0; i < 6; ++i) x = g.node("Gather", {x, x});
  CHECK(contains(error_of(g), "rank 65, at most 64"));
  TestGraph wide(17);
  wide.node("RandomNormal", {}, {Attribute::of_ints("shape", std::vector<int64_t>(65, 1))});
  CHECK(contains(error_of(wide), "rank 65, at most 64"));
}

TEST(infer_refusals, refuses_a_permutation_that_counts_from_the_back) {
  TestGraph g(17);
  g.node("Transpose", {g.input("x", {2, 3})}, {Attribute::of_ints("perm", {-1, 0})});
  CHECK(contains(error_of(g), "attribute 'perm' holds -1, expected 0 or more"));
}

TEST(infer_refusals, refuses_more_axes_than_there_are) {
  for (const size_t count : {65, 257}) {
    const std::vector<int64_t> many(count, 1000000000);
    TestGraph reduced(18), sliced(18);
    reduced.node("ReduceMean", {reduced.input("x", {2, 2}), reduced.ints("axes", many)});
    CHECK(contains(error_of(reduced), str_cat("has ", count, " axes, its input rank 2")));
    sliced.node("Slice", {sliced.input("x", {2, 2}), sliced.ints("starts", many),
                          sliced.ints("ends", many), sliced.ints("axes", many)});
    CHECK(contains(error_of(sliced), str_cat("has ", count, " axes, its input rank 2")));
  }
}

TEST(infer_refusals, refuses_sequences_of_sequences_and_optionals_of_optionals) {
  TestGraph sequences(17), inserted(17), optionals(17), both(17);
  const auto sequence = [](TestGraph& g) {
    return g.node("SequenceConstruct", {g.input("x", {2})});
  };
  sequences.node("SequenceConstruct", {sequence(sequences)});
  CHECK(contains(error_of(sequences), "input 0 is seq(float32[2]), expected a tensor"));
  const ValueId list = sequence(inserted);
  inserted.node("SequenceInsert", {list, list});
  CHECK(contains(error_of(inserted), "input 1 is seq(float32[2]), expected a tensor"));
  optionals.node("Optional", {optionals.node("Optional", {optionals.input("x", {2})})});
  CHECK(contains(error_of(optionals), "an optional of optional(float32[2])"));
  const ValueId y = both.node("Optional", {sequence(both)});
  both.infer();
  CHECK_EQ(both.type(y), "optional(seq(float32[2]))");
}

TEST(infer_refusals, refuses_a_transform_along_real_and_imaginary_parts) {
  TestGraph g(17);
  g.node("DFT", {g.input("x", {2, 4, 1})}, {Attribute::of_int("axis", 2)});
  CHECK(contains(error_of(g), "axis 2 has the real and imaginary parts"));
}
