// SPDX-License-Identifier: MIT
// Types and shapes of operators on texts, patterns and images.
#include "core/ops/infer.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

// The type of the one output, or what is wrong.
std::string infer(const std::string& op, const std::string& domain, int64_t opset,
                  const Type& input, std::vector<Attribute> attributes) {
  Graph graph(std::make_shared<const OpsetImports>(OpsetImports{{domain, opset}}));
  const ValueId x = graph.add_value("x", input).value(), y = graph.add_value("y").value();
  graph.add_input(x);
  CHECK_OK(graph.add_node(op, domain, "n", {x}, {y}, std::move(attributes)));
  const Status status = infer_types(graph);
  if (!status.is_ok()) return status.to_string();
  Type type = graph.value(y)->type;
  for (Dim& dim : *type.shape) {  // names that inference made up
    if (dim.symbol.size() > 1) dim = Dim::unknown();
  }
  return type_to_string(type);
}

Type texts(size_t rank) { return Type::tensor(DType::kString, Shape(rank, Dim::named("n"))); }

std::string tokens(size_t rank, std::vector<Attribute> more = {}) {
  more.push_back(Attribute::of_int("mark", 0));
  more.push_back(Attribute::of_string("pad_value", ""));
  return infer("Tokenizer", "com.microsoft", 1, texts(rank), std::move(more));
}

TEST(text_inference, gives_tokens_an_axis_of_their_own) {
  const auto least = Attribute::of_int("mincharnum", 1);
  CHECK_EQ(tokens(1, {least}), "string[n,?]");
  CHECK_EQ(tokens(2, {least}), "string[n,n,?]");
  CHECK(contains(tokens(3, {least}), "input has rank 3, expected 1 or 2"));
  CHECK(contains(tokens(1), "mincharnum"));
}

TEST(text_inference, matches_each_text_with_a_pattern_that_must_be_there) {
  CHECK_EQ(infer("RegexFullMatch", "", 20, texts(2), {Attribute::of_string("pattern", "a")}),
           "bool[n,n]");
  CHECK(contains(infer("RegexFullMatch", "", 20, texts(2), {}), "pattern"));
}

TEST(text_inference, knows_the_channels_of_images) {
  const auto image = [](const char* format, size_t rank) {
    const Type bytes = Type::tensor(DType::kUint8, Shape(rank, Dim::named("n")));
    return infer("ImageDecoder", "", 20, bytes, {Attribute::of_string("pixel_format", format)});
  };
  CHECK_EQ(image("BGR", 1), "uint8[?,?,3]");
  CHECK_EQ(image("Grayscale", 1), "uint8[?,?,1]");
  CHECK(contains(image("RGB", 2), "expected the bytes of a file, rank 1"));
  CHECK(contains(image("CMYK", 1), "'CMYK', expected one of RGB, BGR, Grayscale"));
}

}  // namespace
}  // namespace ortc::test
