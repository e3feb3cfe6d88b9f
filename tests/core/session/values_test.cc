// SPDX-License-Identifier: MIT
// Values that are not dense tensors of numbers, through sessions: strings as constants and results,
// sequences and optionals through control flow, and what AOT leaves to the CPU provider.
#include "tests/core/session/values_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<Datum> run_values(const Session& session, const std::vector<Datum>& inputs) {
  std::vector<Datum> outputs;
  CHECK_OK(try_run_values(session, inputs, &outputs));
  return outputs;
}

Tensor texts(std::vector<std::string> elements) {
  const auto count = static_cast<int64_t>(elements.size());
  return Tensor::strings({count}, std::move(elements));
}

bool holds(const Datum& found, std::vector<std::string> expected) {
  if (!found.is_tensor() || found.tensor()->dtype() != DType::kString) return false;
  const auto elements = found.tensor()->string_elements();
  return std::equal(elements.begin(), elements.end(), expected.begin(), expected.end());
}

ValueId text_constant(GraphBuilder& g, const std::string& name, std::vector<std::string> elements) {
  return g.graph().add_constant(name, texts(std::move(elements)));
}

ValueId input_of(GraphBuilder& g, const std::string& name, Type type) {
  const ValueId id = g.graph().add_value(name, std::move(type)).value();
  g.graph().add_input(id);
  return id;
}

Datum floats_sequence(std::vector<float> numbers) {
  Sequence sequence;
  sequence.dtype = DType::kFloat32;
  for (const float number : numbers) sequence.items.emplace_back(Tensor::scalar(number));
  return Datum::of(std::move(sequence));
}

}  // namespace

TEST(values, strings_go_through_constants_moves_and_broadcasting) {
  for (const std::vector<std::string>& providers : {std::vector<std::string>{}, {"AOT"}}) {
    GraphBuilder g(21);
    const auto x = g.input("x", DType::kString, {3});
    const auto joined = g.node("StringConcat", {x, text_constant(g, "dot", {"."})}, {"joined"})[0];
    const auto all = g.node("Concat", {joined, text_constant(g, "more", {"last"})}, {"all"},
                            {Attribute::of_int("axis", 0)})[0];
    const auto picked = g.node("Gather", {all, g.int64s("i", {2}, {-1, 0})}, {"picked"})[0];
    g.output(all);
    g.output(picked);
    g.output(g.node("Equal", {picked, text_constant(g, "same", {"last"})}, {"same?"})[0]);
    g.infer();
    const auto session = open_graph(g, providers);
    const std::string long_text(100, 'y');
    for (int i = 0; i < 3; ++i) {  // the second run finds its binding
      const auto out = run_values(*session, {texts({"a", "", long_text})});
      CHECK(holds(out[0], {"a.", ".", long_text + ".", "last"}));
      CHECK(holds(out[1], {"last", "a."}));
      CHECK(out[2].tensor()->elements<uint8_t>()[0] == 1);
      CHECK(out[2].tensor()->elements<uint8_t>()[1] == 0);
    }
  }
}

TEST(values, strings_fill_a_provided_output) {
  GraphBuilder g(21);
  const auto x = g.input("x", DType::kString, {2});
  g.output(g.node("StringConcat", {x, x}, {"y"})[0]);
  g.infer();
  const auto session = open_graph(g);
  const std::vector<std::string_view> in = {"x"}, out = {"y"};
  const std::vector<Datum> inputs = {texts({"a", "b"})};
  std::vector<Datum> outputs = {texts({"old", "older"})};
  const std::string* place = outputs[0].tensor()->string_elements().data();
  CHECK_OK(session->run_values(in, inputs, out, outputs));
  CHECK(holds(outputs[0], {"aa", "bb"}));
  CHECK(outputs[0].tensor()->string_elements().data() == place);
}

TEST(values, aot_takes_what_lies_around_strings_and_says_why_not_the_rest) {
  GraphBuilder g(21);
  const auto x = g.input("x", DType::kFloat32, {2, 3});
  const auto product = g.node("MatMul", {x, g.floats("w", {3, 1}, {1, 2, 3})}, {"product"})[0];
  const auto text = g.node("Cast", {product}, {"text"}, {Attribute::of_int("to", 8)})[0];
  const auto number = g.node("Cast", {text}, {"number"}, {Attribute::of_int("to", 1)})[0];
  g.output(text);
  g.output(g.node("Relu", {number}, {"y"})[0]);
  g.infer();
  const auto session = open_graph(g, {"AOT"});
  CHECK_EQ(session->report().partitions.size(), 2u);
  CHECK_EQ(session->report().assignments.size(), 2u);
  for (const Assignment& assignment : session->report().assignments) {
    CHECK_EQ(assignment.op_type, "Cast");
    CHECK(assignment.reason.find("is of type string") != std::string::npos);
  }
  const auto out =
      run_values(*session, {Tensor::from<float>({2, 3}, std::vector<float>{1, 0, 0, -1, 0.5f, 0})});
  CHECK(holds(out[0], {"1", "0"}));
  CHECK(out[1].tensor()->elements<float>()[0] == 1);
}

TEST(values, aot_says_that_a_sequence_is_no_tensor) {
  GraphBuilder g(17);
  const auto x = g.input("x", DType::kFloat32, {2, 3});
  const auto parts = g.node("SplitToSequence", {x}, {"parts"})[0];
  g.output(g.node("SequenceLength", {parts}, {"n"})[0]);
  g.infer();
  const auto session = open_graph(g, {"AOT"});
  CHECK(session->report().partitions.empty());
  CHECK(session->report().assignments[0].reason.find("not a tensor") != std::string::npos);
  CHECK(run_values(*session, {Tensor::create(DType::kFloat32, {2, 3}).value()})[0]
            .tensor()
            ->elements<int64_t>()[0] == 2);
}

TEST(values, a_loop_carries_a_sequence) {
  GraphBuilder g(17);
  const auto count = g.input("count", DType::kInt64, {});
  const auto start = g.node("SequenceEmpty", {}, {"start"})[0];
  GraphBuilder body(17, &g.graph());
  const auto i = body.input("i", DType::kInt64, {});
  const auto go_on = body.input("go_on", DType::kBool, {});
  const auto so_far = input_of(body, "so_far", Type::sequence(Type::tensor(DType::kFloat32)));
  const auto number = body.node("Cast", {i}, {"number"}, {Attribute::of_int("to", 1)})[0];
  body.output(body.node("Identity", {go_on}, {"still"})[0]);
  body.output(body.node("SequenceInsert", {so_far, number}, {"longer"})[0]);
  const auto all = g.node("Loop", {count, kNoValue, start}, {"all"},
                          {graph_attribute("body", body.shared())})[0];
  g.output(all);
  g.infer();
  const auto session = open_graph(g);
  for (const int64_t n : {0, 1, 5}) {
    const auto out = run_values(*session, {Tensor::scalar(n)});
    const Sequence* found = out[0].sequence();
    CHECK(found != nullptr && found->dtype == DType::kFloat32);
    CHECK_EQ(found->items.size(), static_cast<size_t>(n));
    for (size_t k = 0; k < found->items.size(); ++k) {
      CHECK(found->items[k].tensor()->elements<float>()[0] == static_cast<float>(k));
    }
  }
}

TEST(values, an_if_gives_an_optional_with_or_without_content) {
  GraphBuilder g(18);
  const auto flag = g.input("flag", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {});
  GraphBuilder then_branch(18, &g.graph()), else_branch(18, &g.graph());
  const auto outer = then_branch.graph().capture(x).value();
  then_branch.output(then_branch.node("Optional", {outer}, {"some"})[0]);
  Attribute type;
  type.name = "type";
  type.kind = AttributeKind::kTypeProto;
  type.type = std::make_shared<const Type>(Type::tensor(DType::kFloat32, Shape{}));
  else_branch.output(else_branch.node("Optional", {}, {"none"}, {type})[0]);
  const auto maybe = g.node("If", {flag}, {"maybe"},
                            {graph_attribute("then_branch", then_branch.shared()),
                             graph_attribute("else_branch", else_branch.shared())})[0];
  g.output(maybe);
  g.output(g.node("OptionalHasElement", {maybe}, {"has"})[0]);
  g.infer();
  const auto session = open_graph(g);
  for (const bool has : {true, false}) {
    const auto out = run_values(*session, {Tensor::scalar(has), Tensor::scalar(2.5f)});
    CHECK(out[0].is_none() != has);
    if (has) CHECK(out[0].tensor()->elements<float>()[0] == 2.5f);
    CHECK((out[1].tensor()->elements<uint8_t>()[0] != 0) == has);
  }
  // What it holds goes into memory that was provided for it.
  const std::string_view inputs[] = {"flag", "x"}, output[] = {"maybe"};
  const Tensor given[] = {Tensor::scalar(true), Tensor::scalar(2.5f)};
  Tensor provided[] = {Tensor::scalar(0.0f)};
  CHECK_OK(session->run(inputs, given, output, provided));
  CHECK(provided[0].elements<float>()[0] == 2.5f);
}

TEST(values, an_optional_input_that_is_left_out_is_none) {
  GraphBuilder g(18);
  const auto maybe =
      input_of(g, "maybe", Type::optional(Type::tensor(DType::kFloat32, Shape{Dim::named("n")})));
  g.output(g.node("OptionalHasElement", {maybe}, {"has"})[0]);
  g.infer();
  const auto session = open_graph(g);
  const std::string_view input[] = {"maybe"}, output[] = {"has"};
  const auto has = [&](std::span<const std::string_view> names, std::span<const Datum> values) {
    std::vector<Datum> out(1);
    CHECK_OK(session->run_values(names, values, output, out));
    return out[0].tensor()->elements<uint8_t>()[0] != 0;
  };
  const Datum some[] = {Datum(floats({2}, {1, 2}))}, none[] = {Datum()};
  CHECK(has(input, some));
  CHECK(!has(input, none));
  CHECK(!has({}, {}));
}

TEST(values, sequence_map_runs_its_body_for_each_element) {
  GraphBuilder g(17);
  const auto many = input_of(g, "many", Type::sequence(Type::tensor(DType::kFloat32, Shape{})));
  const auto offset = g.input("offset", DType::kFloat32, {});
  GraphBuilder body(17, &g.graph());
  const auto a = body.input("a", DType::kFloat32, {});
  const auto b = body.input("b", DType::kFloat32, {});
  body.output(body.node("Add", {a, b}, {"sum"})[0]);
  g.output(
      g.node("SequenceMap", {many, offset}, {"sums"}, {graph_attribute("body", body.shared())})[0]);
  g.infer();
  const auto session = open_graph(g);
  const auto out = run_values(*session, {floats_sequence({1, 2, 3}), Tensor::scalar(10.0f)});
  CHECK_EQ(out[0].sequence()->items.size(), 3u);
  CHECK(out[0].sequence()->items[2].tensor()->elements<float>()[0] == 13);
  const auto none = run_values(*session, {floats_sequence({}), Tensor::scalar(10.0f)});
  CHECK(none[0].sequence()->items.empty() && none[0].sequence()->dtype == DType::kFloat32);
}

TEST(values, a_run_with_tensors_alone_says_that_a_sequence_came) {
  GraphBuilder g(17);
  const auto x = g.input("x", DType::kFloat32, {2});
  g.output(g.node("SplitToSequence", {x}, {"parts"})[0]);
  g.infer();
  const auto session = open_graph(g);
  std::vector<Tensor> outputs;
  const Status status = try_run(*session, {Tensor::create(DType::kFloat32, {2}).value()}, &outputs);
  CHECK(status.code() == Code::kNotImplemented);
  CHECK(status.to_string().find("sequence of 2 float32") != std::string::npos);
}
