// SPDX-License-Identifier: MIT
// Sequences, optionals and dictionaries, node by node.
#include <array>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

// One node on values of any kind.
Result<std::vector<Datum>> run_values(const Op& op, const std::vector<Datum>& inputs) {
  NodeGraph made(op, {});
  std::vector<ValueId> in, out = {made.graph->add_value("out").value()};
  for (const Datum& input : inputs) {
    Type type = Type::of(input);
    if (input.is_none()) type = Type::optional(Type::tensor(DType::kFloat32));
    in.push_back(made.graph->add_value(str_cat("in", in.size()), type).value());
  }
  const Node* node = made.graph->add_node(op.type, op.domain, "n", in, out, op.attributes).value();
  return Evaluator(cpu::kernel_registry()).evaluate_values(*node, inputs, nullptr, host_isa());
}

Datum run_value(const Op& op, const std::vector<Datum>& inputs) {
  auto outputs = run_values(op, inputs);
  CHECK_OK(outputs);
  return std::move((*outputs)[0]);
}

const Tensor kA = tensor<float>({2}, {1, 2}), kB = tensor<float>({1}, {3}),
             kC = tensor<float>({3}, {4, 5, 6});

Datum abc() { return run_value({"SequenceConstruct", 11}, {kA, kB, kC}); }

const Tensor& item(const Datum& sequence, size_t i) {
  return *sequence.sequence()->items.at(i).tensor();
}

TEST(sequence, is_made_and_looked_at) {
  const Datum sequence = abc();
  CHECK_EQ(sequence.sequence()->items.size(), 3u);
  CHECK(same_bits(*run_value({"SequenceAt", 11}, {sequence, Tensor::scalar<int64_t>(-1)}).tensor(),
                  kC));
  CHECK(same_bits(*run_value({"SequenceAt", 11}, {sequence, Tensor::scalar<int32_t>(1)}).tensor(),
                  kB));
  CHECK(run_value({"SequenceLength", 11}, {sequence}).tensor()->elements<int64_t>()[0] == 3);
  CHECK(!run_values({"SequenceAt", 11}, {sequence, Tensor::scalar<int64_t>(3)}).is_ok());
  CHECK(!run_values({"SequenceAt", 11}, {sequence, Tensor::scalar<int64_t>(-4)}).is_ok());
  const Datum empty = run_value({"SequenceEmpty", 11, {Attribute::of_int("dtype", 8)}}, {});
  CHECK(empty.sequence()->items.empty() && empty.sequence()->dtype == DType::kString);
  CHECK(!run_values({"SequenceConstruct", 11}, {kA, int64s({1})}).is_ok());
}

TEST(sequence, stays_as_it_is_when_another_is_made_of_it) {
  const Datum sequence = abc();
  const Datum longer =
      run_value({"SequenceInsert", 11}, {sequence, kB, Tensor::scalar<int64_t>(-3)});
  CHECK(same_bits(item(longer, 0), kB) && same_bits(item(longer, 1), kA));
  const Datum at_end = run_value({"SequenceInsert", 11}, {sequence, kA});
  CHECK(same_bits(item(at_end, 3), kA));
  const Datum shorter = run_value({"SequenceErase", 11}, {sequence, Tensor::scalar<int64_t>(0)});
  CHECK(same_bits(item(shorter, 0), kB));
  CHECK_EQ(run_value({"SequenceErase", 11}, {sequence}).sequence()->items.size(), 2u);
  CHECK_EQ(sequence.sequence()->items.size(), 3u);
  CHECK(!run_values({"SequenceInsert", 11}, {sequence, int64s({1})}).is_ok());
  CHECK(!run_values({"SequenceInsert", 11}, {sequence, kA, Tensor::scalar<int64_t>(4)}).is_ok());
  CHECK(!run_values({"SequenceErase", 11}, {run_value({"SequenceEmpty", 11}, {})}).is_ok());
}

TEST(sequence, comes_from_splitting_and_goes_by_joining) {
  const Tensor x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto axis = Attribute::of_int("axis", 1);
  const Datum columns =
      run_value({"SplitToSequence", 11, {axis, Attribute::of_int("keepdims", 0)}}, {x});
  CHECK(same_bits(item(columns, 2), tensor<float>({2}, {3, 6})));
  const Datum pairs = run_value({"SplitToSequence", 11, {axis}}, {x, Tensor::scalar<int64_t>(2)});
  CHECK(same_bits(item(pairs, 0), tensor<float>({2, 2}, {1, 2, 4, 5})));
  CHECK(same_bits(item(pairs, 1), tensor<float>({2, 1}, {3, 6})));
  const Datum uneven = run_value({"SplitToSequence", 11, {axis}}, {x, int64s({0, 3})});
  CHECK(item(uneven, 0).dims() == (Dims{2, 0}));
  CHECK(!run_values({"SplitToSequence", 11, {axis}}, {x, int64s({1, 1})}).is_ok());
  CHECK(same_bits(*run_value({"ConcatFromSequence", 11, {axis}}, {pairs}).tensor(), x));
  const Datum stacked =
      run_value({"ConcatFromSequence", 11, {axis, Attribute::of_int("new_axis", 1)}}, {columns});
  CHECK(same_bits(*stacked.tensor(), x));
  CHECK(!run_values({"ConcatFromSequence", 11, {Attribute::of_int("axis", 1)}}, {abc()}).is_ok());
}

TEST(sequence, of_parts_has_no_more_than_there_are_elements) {
  constexpr int64_t kMany = int64_t{1} << 33;
  const Op by_columns{"SplitToSequence", 11, {Attribute::of_int("axis", 1)}};
  const Tensor empty = Tensor::create(DType::kFloat32, {0, kMany}).value();
  CHECK_CODE(run_values(by_columns, {empty}), Code::kNotImplemented);
  CHECK_CODE(run_values(by_columns, {empty, Tensor::scalar<int64_t>(2)}), Code::kNotImplemented);
  for (const int64_t part : {int64_t{1} << 62, kMany / 2}) {
    const Datum halves = run_value(by_columns, {empty, Tensor::scalar<int64_t>(part)});
    CHECK_EQ(halves.sequence()->items.size(), part > kMany ? 1u : 2u);
    CHECK(item(halves, 0).dims() == (Dims{0, std::min(part, kMany)}));
  }
  const Tensor three = tensor<float>({1, 3}, {1, 2, 3});
  const Datum whole = run_value(by_columns, {three, Tensor::scalar<int64_t>(int64_t{1} << 62)});
  CHECK(whole.sequence()->items.size() == 1 && same_bits(item(whole, 0), three));
}

TEST(sequence, of_rows_without_elements_takes_no_time) {
  const Tensor rows = Tensor::create(DType::kFloat32, {int64_t{1} << 40, 0}).value();
  const auto axis = Attribute::of_int("axis", 1);
  const Datum parts = run_value({"SplitToSequence", 11, {axis}}, {rows, int64s({0, 0})});
  CHECK_EQ(parts.sequence()->items.size(), 2u);
  CHECK(run_value({"ConcatFromSequence", 11, {axis}}, {parts}).tensor()->dims() == rows.dims());
}

TEST(sequence, of_strings_is_joined_too) {
  const Tensor x = Tensor::strings({2, 2}, {"a", "b", "c", "d"});
  const Datum rows = run_value({"SplitToSequence", 11}, {x});
  const Datum joined =
      run_value({"ConcatFromSequence", 11, {Attribute::of_int("axis", 1)}}, {rows});
  const auto found = joined.tensor()->string_elements();
  CHECK(joined.tensor()->dims() == (Dims{1, 4}) && found[0] == "a" && found[3] == "d");
}

TEST(optional, is_its_content_or_none) {
  CHECK(same_bits(*run_value({"Optional", 15}, {kA}).tensor(), kA));
  CHECK(run_value({"Optional", 15}, {}).is_none());
  CHECK(run_value({"Optional", 15}, {abc()}).sequence() != nullptr);
  const auto has = [](const std::vector<Datum>& inputs) {
    return run_value({"OptionalHasElement", 18}, inputs).tensor()->elements<uint8_t>()[0] != 0;
  };
  CHECK(has({kA}) && has({abc()}) && !has({}) && !has({Datum()}));
  CHECK(same_bits(*run_value({"OptionalGetElement", 18}, {kB}).tensor(), kB));
  CHECK(!run_values({"OptionalGetElement", 18}, {Datum()}).is_ok());
  CHECK(run_value({"Identity", 16}, {abc()}).sequence()->items.size() == 3);
}

TEST(dictionary, label_encoder_looks_up_every_type_of_key) {
  const auto encoder = [](std::vector<Attribute> attributes, int64_t opset = 4) {
    return Op{"LabelEncoder", opset, std::move(attributes), 1, "ai.onnx.ml"};
  };
  const Op to_numbers = encoder({texts_attribute("keys_strings", {"b", "a", "b"}),
                                 Attribute::of_ints("values_int64s", {1, 2, 3}),
                                 Attribute::of_int("default_int64", 9)});
  CHECK(holds<int64_t>(run_one(to_numbers, {Tensor::strings({2, 2}, {"a", "b", "c", ""})}), {2, 2},
                       {2, 3, 9, 9}));
  const Op to_texts = encoder({Attribute::of_floats("keys_floats", {1.5f, std::nanf("")}),
                               texts_attribute("values_strings", {"x", "no number"})});
  const Tensor found = run_one(to_texts, {tensor<float>({3}, {std::nanf(""), 2, 1.5f})});
  CHECK(found.string_elements()[0] == "no number" && found.string_elements()[1] == "_Unused" &&
        found.string_elements()[2] == "x");
  const Op of_tensors = encoder({Attribute::of_tensor("keys_tensor", int64s({5, -5})),
                                 Attribute::of_tensor("values_tensor", tensor<double>({2}, {1, 2})),
                                 Attribute::of_tensor("default_tensor", tensor<double>({1}, {7}))});
  CHECK(holds<double>(run_one(of_tensors, {int64s({-5, 0, 5})}), {3}, {2, 7, 1}));
  const Op first_form = encoder({texts_attribute("classes_strings", {"zero", "one"})}, 1);
  CHECK(holds<int64_t>(run_one(first_form, {Tensor::strings({2}, {"one", "two"})}), {2}, {1, -1}));
  CHECK(run_one(first_form, {int64s({0})}).string_elements()[0] == "zero");
  CHECK(!run_op(encoder({Attribute::of_ints("keys_int64s", {1}),
                         Attribute::of_ints("values_int64s", {1, 2})}),
                {int64s({1})})
             .is_ok());
}

TEST(dictionary, label_encoder_refuses_a_default_that_its_type_cannot_hold) {
  const auto with_default = [](int64_t value) {
    return Op{"LabelEncoder",
              4,
              {Attribute::of_tensor("keys_tensor", int64s({5})),
               Attribute::of_tensor("values_tensor", tensor<int16_t>({1}, {1})),
               Attribute::of_int("default_int64", value)},
              1,
              "ai.onnx.ml"};
  };
  CHECK(holds<int16_t>(run_one(with_default(-32768), {int64s({5, 6})}), {2}, {1, -32768}));
  const auto refused = run_op(with_default(70000), {int64s({5})});
  CHECK(!refused.is_ok() && refused.status().message().find("70000") != std::string::npos);
}

TEST(dictionary, maps_are_made_of_scores_and_become_rows) {
  const Op zip{"ZipMap", 1, {Attribute::of_ints("classlabels_int64s", {3, 1, 2})}, 1, "ai.onnx.ml"};
  const Datum maps = run_value(zip, {tensor<float>({2, 3}, {30, 10, 20, 33, 11, 22})});
  CHECK(maps.sequence()->map_key == DType::kInt64 && maps.sequence()->items.size() == 2);
  const Map& second = *maps.sequence()->items[1].map();
  CHECK(holds<int64_t>(second.keys, {3}, {1, 2, 3}));
  CHECK(holds<float>(second.values, {3}, {11, 22, 33}));
  CHECK(!run_values(zip, {tensor<float>({2, 2}, {1, 2, 3, 4})}).is_ok());
  const Op row{
      "DictVectorizer", 1, {Attribute::of_ints("int64_vocabulary", {2, 7, 3})}, 1, "ai.onnx.ml"};
  CHECK(holds<float>(*run_value(row, {maps.sequence()->items[0]}).tensor(), {1, 3}, {20, 0, 30}));
  const Op texts_row{
      "DictVectorizer", 1, {texts_attribute("string_vocabulary", {"a"})}, 1, "ai.onnx.ml"};
  CHECK(!run_values(texts_row, {maps.sequence()->items[0]}).is_ok());
}

TEST(dictionary, maps_become_rows_by_the_order_or_the_place_of_their_keys) {
  const auto cast = [](const char* to, const char* form, int64_t width = 1) {
    return Op{"CastMap",
              1,
              {Attribute::of_string("cast_to", to), Attribute::of_string("map_form", form),
               Attribute::of_int("max_map", width)},
              1,
              "ai.onnx.ml"};
  };
  const Datum numbers = Datum::of(Map{int64s({1, 3}), tensor<float>({2}, {2.75f, -1.5f})});
  const Datum words = Datum::of(Map{int64s({0, 2}), Tensor::strings({2}, {"7", "8"})});
  CHECK(holds<float>(*run_value(cast("TO_FLOAT", "DENSE"), {numbers}).tensor(), {1, 2},
                     {2.75f, -1.5f}));
  CHECK(holds<int64_t>(*run_value(cast("TO_INT64", "DENSE"), {numbers}).tensor(), {1, 2}, {2, -1}));
  CHECK(run_value(cast("TO_STRING", "DENSE"), {numbers}).tensor()->string_elements()[0] == "2.75");
  CHECK(holds<float>(*run_value(cast("TO_FLOAT", "SPARSE", 5), {numbers}).tensor(), {1, 5},
                     {0, 2.75f, 0, -1.5f, 0}));
  CHECK(holds<int64_t>(*run_value(cast("TO_INT64", "SPARSE", 3), {words}).tensor(), {1, 3},
                       {7, 0, 8}));
  CHECK_CODE(run_values(cast("TO_FLOAT", "SPARSE", 3), {numbers}), Code::kInvalidArgument);
  CHECK_CODE(run_values(cast("TO_STRING", "SPARSE", 3), {words}), Code::kNotImplemented);
  CHECK_CODE(run_values(cast("TO_BOOL", "DENSE"), {numbers}), Code::kInvalidGraph);
  const Datum named = Datum::of(Map{Tensor::strings({1}, {"a"}), tensor<float>({1}, {1})});
  CHECK_CODE(run_values(cast("TO_FLOAT", "DENSE"), {named}), Code::kInvalidArgument);
}

TEST(sequence, does_not_nest) {
  CHECK_CODE(run_values({"SequenceConstruct", 11}, {abc(), abc()}), Code::kInvalidArgument);
  CHECK_CODE(run_values({"SequenceConstruct", 11}, {kA, abc()}), Code::kInvalidArgument);
  CHECK_CODE(run_values({"SequenceInsert", 11}, {abc(), abc()}), Code::kInvalidArgument);
  Sequence untyped;
  const Datum sequence = Datum::of(std::move(untyped));
  CHECK_CODE(run_values({"SequenceInsert", 11}, {sequence, abc()}), Code::kInvalidArgument);
}

// Records as a broken file may have them.
TEST(sequence, needs_an_element_type) {
  const KernelRow* row = cpu::kernel_registry().find_by_id("sequence_empty", 1);
  CHECK(row != nullptr);
  const std::array<uint32_t, 6> record = {24, 0, 0, 0, 0, 0};
  std::array<BindContext::Output, 1> outputs;
  outputs[0].wanted = true;
  const Bytes bytes(reinterpret_cast<const std::byte*>(record.data()), sizeof record);
  BindContext bind("sequence_empty", bytes, {}, outputs, 1, Isa::kGeneric);
  CHECK_CODE(row->bind(bind), Code::kInvalidGraph);
}

}  // namespace
}  // namespace ortc::test
