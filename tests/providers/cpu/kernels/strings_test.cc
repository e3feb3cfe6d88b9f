// SPDX-License-Identifier: MIT
// Strings: operators of their own, movement, casts to and from numbers, case.
#include "providers/cpu/text/string_numbers.h"
#include "providers/cpu/text/unicode_case.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using cpu::Bfloat16;
using cpu::Float16;

Tensor texts(Dims dims, std::vector<std::string> elements) {
  return Tensor::strings(std::move(dims), std::move(elements));
}

bool is(const Tensor& found, const Dims& dims, const std::vector<std::string>& expected) {
  const auto elements = found.string_elements();
  return found.dtype() == DType::kString && found.dims() == dims &&
         std::equal(elements.begin(), elements.end(), expected.begin(), expected.end());
}

const Tensor kMatrix = texts({2, 3}, {"a", "b", "c", "d", "e", "f"});

TEST(strings, are_moved_by_every_kernel_that_moves_elements) {
  const auto axis = [](int64_t value) { return Attribute::of_int("axis", value); };
  CHECK(is(run_one({"Transpose", 18}, {kMatrix}), {3, 2}, {"a", "d", "b", "e", "c", "f"}));
  CHECK(is(run_one({"Reshape", 18}, {kMatrix, int64s({3, -1})}), {3, 2},
           {"a", "b", "c", "d", "e", "f"}));
  CHECK(is(run_one({"Flatten", 18, {axis(2)}}, {kMatrix}), {6, 1}, {"a", "b", "c", "d", "e", "f"}));
  CHECK(is(run_one({"Unsqueeze", 18}, {texts({1}, {"x"}), int64s({0})}), {1, 1}, {"x"}));
  CHECK(is(run_one({"Squeeze", 18}, {texts({1, 1}, {"x"}), int64s({0})}), {1}, {"x"}));
  CHECK(is(run_one({"Identity", 18}, {kMatrix}), {2, 3}, {"a", "b", "c", "d", "e", "f"}));
  CHECK(is(run_one({"Concat", 18, {axis(1)}}, {kMatrix, texts({2, 1}, {"x", "y"})}), {2, 4},
           {"a", "b", "c", "x", "d", "e", "f", "y"}));
  CHECK(is(run_one({"Slice", 18}, {kMatrix, int64s({0}), int64s({3}), int64s({1}), int64s({2})}),
           {2, 2}, {"a", "c", "d", "f"}));
  CHECK(is(run_one({"Gather", 18, {axis(1)}}, {kMatrix, int64s({2, 2})}), {2, 2},
           {"c", "c", "f", "f"}));
  CHECK(is(run_one({"GatherND", 18}, {kMatrix, tensor<int64_t>({2, 2}, {1, 0, 0, 1})}), {2},
           {"d", "b"}));
  CHECK(is(run_one({"Expand", 18}, {texts({2, 1}, {"x", "y"}), int64s({2, 2})}), {2, 2},
           {"x", "x", "y", "y"}));
  CHECK(
      is(run_one({"Tile", 18}, {texts({2}, {"x", "y"}), int64s({2})}), {4}, {"x", "y", "x", "y"}));
  CHECK(is(run_one({"Pad", 18}, {texts({1}, {"x"}), int64s({1, 1})}), {3}, {"", "x", ""}));
  CHECK(is(run_one({"Pad", 18}, {texts({1}, {"x"}), int64s({1, 0}), texts({}, {"-"})}), {2},
           {"-", "x"}));
  CHECK(is(run_one({"ScatterElements", 18},
                   {texts({3}, {"a", "b", "c"}), int64s({1}), texts({1}, {"new"})}),
           {3}, {"a", "new", "c"}));
  CHECK(is(run_one({"ScatterND", 18}, {texts({3}, {"a", "b", "c"}), tensor<int64_t>({1, 1}, {2}),
                                       texts({1}, {"new"})}),
           {3}, {"a", "b", "new"}));
  const Tensor flags = Tensor::from<bool>({3}, std::array<bool, 3>{true, false, true});
  CHECK(is(run_one({"Where", 18}, {flags, texts({3}, {"a", "b", "c"}), texts({1}, {"no"})}), {3},
           {"a", "no", "c"}));
  const auto parts = run_op({"Split", 18, {axis(1)}, 3}, {kMatrix});
  CHECK_OK(parts);
  CHECK(is((*parts)[2], {2, 1}, {"c", "f"}));
}

TEST(strings, of_several_inputs_are_told_apart_however_many_there_are) {
  for (const int64_t count : {3, 5000, 40, 1100000}) {
    std::vector<std::string> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
    const Tensor many = texts({count}, numbers), none = texts({0}, {});
    const Tensor all = run_one({"Concat", 13, {Attribute::of_int("axis", 0)}},
                               {texts({2}, {"a", "b"}), none, many, texts({1}, {"z"})});
    const Tensor at = int64s({0, 1, 2, count + 1, count + 2});
    CHECK(is(run_one({"Gather"}, {all, at}), {5}, {"a", "b", "0", std::to_string(count - 1), "z"}));
  }
}

TEST(strings, are_not_mixed_with_numbers_or_reduced) {
  CHECK(!run_op({"Concat", 18, {Attribute::of_int("axis", 0)}}, {texts({1}, {"x"}), int64s({1})})
             .is_ok());
  CHECK(!run_op({"ScatterElements", 18}, {texts({1}, {"x"}), int64s({0}), int64s({0})}).is_ok());
  CHECK(run_op({"ScatterElements", 18, {Attribute::of_string("reduction", "add")}},
               {texts({1}, {"x"}), int64s({0}), texts({1}, {"y"})})
            .status()
            .code() == Code::kNotImplemented);
}

TEST(strings, are_compared_and_joined_with_broadcasting) {
  const Tensor equal = run_one({"Equal", 19}, {kMatrix, texts({3}, {"a", "e", "f"})});
  CHECK(same_bits(equal, Tensor::from<bool>(
                             {2, 3}, std::array<bool, 6>{true, false, false, false, true, true})));
  CHECK(is(run_one({"StringConcat", 20}, {texts({2, 1}, {"x", ""}), texts({2}, {"1", "2"})}),
           {2, 2}, {"x1", "x2", "1", "2"}));
}

TEST(strings, are_split_by_a_delimiter_or_by_white_space) {
  const auto split = [](std::vector<Attribute> attributes, const Tensor& x) {
    auto out = run_op({"StringSplit", 20, std::move(attributes), 2}, {x});
    CHECK_OK(out);
    return std::move(*out);
  };
  auto out = split({Attribute::of_string("delimiter", "--")}, texts({2}, {"a----b", "c"}));
  CHECK(is(out[0], {2, 3}, {"a", "", "b", "c", "", ""}));
  CHECK(same_bits(out[1], int64s({3, 1})));
  out = split({Attribute::of_int("maxsplit", 1)}, texts({2}, {" a  b c ", " "}));
  CHECK(is(out[0], {2, 2}, {"a", "b c ", "", ""}));
  CHECK(same_bits(out[1], int64s({2, 0})));
  out = split({}, texts({0}, {}));
  CHECK(is(out[0], {0, 0}, {}));
}

TEST(strings, are_normalised) {
  const auto normalised = [](std::vector<Attribute> attributes, const Tensor& x) {
    return run_one({"StringNormalizer", 10, std::move(attributes)}, {x});
  };
  Attribute stop;
  stop.name = "stopwords";
  stop.kind = AttributeKind::kStrings;
  stop.strings = {Blob::from_string("THE"), Blob::from_string("Straße")};
  const auto upper = Attribute::of_string("case_change_action", "UPPER");
  const auto sensitive = Attribute::of_int("is_case_sensitive", 1);
  const Tensor words = texts({4}, {"the", "Élan", "STRASSE", "straße"});
  CHECK(is(normalised({stop, upper}, words), {2}, {"ÉLAN", "STRASSE"}));
  CHECK(is(normalised({stop, sensitive}, words), {4}, {"the", "Élan", "STRASSE", "straße"}));
  CHECK(is(normalised({stop}, texts({1, 1}, {"The"})), {1, 1}, {""}));
  CHECK(!run_op({"StringNormalizer", 10}, {kMatrix}).is_ok());
}

TEST(strings, become_numbers_and_numbers_strings) {
  const auto cast = [](DType to, const Tensor& x) {
    return run_one({"Cast", 19, {Attribute::of_int("to", static_cast<int64_t>(to))}}, {x});
  };
  const Tensor floats = tensor<float>(
      {9}, {0.1f, -2, 1e20f, 3.14159274f, std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity(), std::nanf(""), 1e-45f, 16777216});
  const std::vector<std::string> spelled = {"0.1",  "-2",  "1e+20", "3.1415927", "INF",
                                            "-INF", "NaN", "1e-45", "16777216"};
  CHECK(is(cast(DType::kString, floats), {9}, spelled));
  const Tensor back = cast(DType::kFloat32, texts({9}, spelled));
  for (size_t i = 0; i < 9; ++i) {
    const float a = floats.elements<float>()[i], b = back.elements<float>()[i];
    CHECK(a == b || (std::isnan(a) && std::isnan(b)));
  }
  CHECK(is(cast(DType::kString, tensor<double>({2}, {0.1, 1.0 / 3})), {2},
           {"0.1", "0.3333333333333333"}));
  const std::array<Float16, 2> halves = {Float16(0.1f), Float16(65504.0f)};
  CHECK(
      is(cast(DType::kString, Tensor::from<Float16>({2}, halves)), {2}, {"0.099975586", "65504"}));
  CHECK(is(cast(DType::kString, tensor<int64_t>({2}, {INT64_MIN, 7})), {2},
           {"-9223372036854775808", "7"}));
  CHECK(holds<int32_t>(cast(DType::kInt32, texts({3}, {" 12", "-3\n", "+4"})), {3}, {12, -3, 4}));
  CHECK(holds<float>(
      cast(DType::kFloat32, texts({5}, {"1E3", "inf", "-Infinity", "1e99", "1e-99"})), {5},
      {1000, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
       std::numeric_limits<float>::infinity(), 0}));
  for (const char* wrong :
       {"", "12x", "1 2", "1.5.", "+-1", "1e10", "inf", "nan", "99999999999", "0x10"}) {
    const auto refused = run_op({"Cast", 19, {Attribute::of_int("to", 6)}}, {texts({1}, {wrong})});
    CHECK(!refused.is_ok() && refused.status().code() == Code::kInvalidArgument);
  }
  CHECK(is(run_one({"CastLike", 19}, {int64s({5}), texts({1}, {""})}), {1}, {"5"}));
}

TEST(strings, spell_floats_plainly_where_onnx_runtime_does) {
  const auto cast = [](const Tensor& x) {
    return run_one({"Cast", 19, {Attribute::of_int("to", 8)}}, {x});
  };
  CHECK(is(cast(tensor<float>({6}, {1e5f, 4096, 314.15926f, -0.0f, 1e-4f, 123456789.0f})), {6},
           {"100000", "4096", "314.15927", "-0", "0.0001", "1.2345679e+08"}));
  CHECK(is(cast(tensor<double>({5}, {1e5, 1e-4, 314.15926, 1e8, 123456789})), {5},
           {"100000", "0.0001", "314.15926", "100000000", "123456789"}));
}

TEST(strings, lose_their_fraction_when_they_become_integers) {
  const auto cast = [](DType to, std::vector<std::string> x) {
    const auto n = static_cast<int64_t>(x.size());
    return run_op({"Cast", 19, {Attribute::of_int("to", static_cast<int64_t>(to))}},
                  {texts({n}, std::move(x))});
  };
  const auto wide = cast(DType::kInt64, {"100.5", "-1.9", ".5", "1e3", "1234567890123456789.5",
                                         "9223372036854775807.9"});
  CHECK_OK(wide);
  CHECK(holds<int64_t>((*wide)[0], {6}, {100, -1, 0, 1000, 1234567890123456789, INT64_MAX}));
  const auto bytes = cast(DType::kUint8, {"255.9", "-0.5", "2.55e2"});
  CHECK_OK(bytes);
  CHECK(holds<uint8_t>((*bytes)[0], {3}, {255, 0, 255}));
  for (const char* wrong : {"256.0", "-1.0", "1e3", "inf", "nan"}) {
    CHECK_CODE(cast(DType::kUint8, {wrong}), Code::kInvalidArgument);
  }
  CHECK_CODE(cast(DType::kInt64, {"9223372036854775808.0"}), Code::kInvalidArgument);
  CHECK_CODE(cast(DType::kInt64, {"1e19"}), Code::kInvalidArgument);
}

TEST(strings, spell_every_16_bit_float_so_that_it_reads_back) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    Float16 half;
    Bfloat16 brain;
    half.bits = brain.bits = static_cast<uint16_t>(bits);
    std::string spelled[2];
    cpu::numbers_to_texts(DType::kFloat16, &half, &spelled[0], 1);
    cpu::numbers_to_texts(DType::kBfloat16, &brain, &spelled[1], 1);
    Float16 half_back;
    Bfloat16 brain_back;
    CHECK_OK(cpu::texts_to_numbers(&spelled[0], DType::kFloat16, &half_back, 1));
    CHECK_OK(cpu::texts_to_numbers(&spelled[1], DType::kBfloat16, &brain_back, 1));
    CHECK(half_back.bits == half.bits || std::isnan(static_cast<float>(half)));
    CHECK(brain_back.bits == brain.bits || std::isnan(static_cast<float>(brain)));
  }
}

TEST(strings, change_case_by_unicode_and_keep_what_is_no_utf8) {
  CHECK_EQ(cpu::to_lower("ÀÉÎ ΑΩ ЖЯ ĐŽ 123 Z"), "àéî αω жя đž 123 z");
  CHECK_EQ(cpu::to_upper("àéî αω жя đž 123 z"), "ÀÉÎ ΑΩ ЖЯ ĐŽ 123 Z");
  CHECK_EQ(cpu::to_upper("ß 日本 \xff\xc3"), "ß 日本 \xff\xc3");
  CHECK_EQ(cpu::to_upper("\xf0\x90\x90\xa8"), "\xf0\x90\x90\x80");  // Deseret
  // Where the full mapping has several characters, the simple one.
  CHECK_EQ(cpu::to_upper("ᾀ ᾳ ῃ ῳ ﬁ ŉ"), "ᾈ ᾼ ῌ ῼ ﬁ ŉ");
  CHECK_EQ(cpu::to_lower("İ"), "i");
}

}  // namespace
}  // namespace ortc::test
