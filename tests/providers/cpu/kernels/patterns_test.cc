// SPDX-License-Identifier: MIT
// Operators over regular expressions: RegexFullMatch and Tokenizer. Built without RE2, they say
// what is missing.
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

Tensor texts(Dims dims, std::vector<std::string> elements) {
  return Tensor::strings(std::move(dims), std::move(elements));
}

bool is(const Tensor& found, const Dims& dims, const std::vector<std::string>& expected) {
  const auto elements = found.string_elements();
  return found.dtype() == DType::kString && found.dims() == dims &&
         std::equal(elements.begin(), elements.end(), expected.begin(), expected.end());
}

Attribute text_list(std::string name, const std::vector<std::string>& texts) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = AttributeKind::kStrings;
  for (const std::string& text : texts) attribute.strings.push_back(Blob::from_string(text));
  return attribute;
}

Op full_match(const std::string& pattern) {
  return {"RegexFullMatch", 20, {Attribute::of_string("pattern", pattern)}};
}

struct Cutting {
  int64_t mark = 0;
  int64_t mincharnum = 1;
  std::string pad = "#";
};

Op tokenizer(Attribute patterns, const Cutting& cutting = {}) {
  return {"Tokenizer",
          1,
          {std::move(patterns), Attribute::of_int("mark", cutting.mark),
           Attribute::of_int("mincharnum", cutting.mincharnum),
           Attribute::of_string("pad_value", cutting.pad)},
          1,
          "com.microsoft"};
}

Op by_separators(const std::vector<std::string>& separators, const Cutting& cutting = {}) {
  return tokenizer(text_list("separators", separators), cutting);
}

Op by_expression(const std::string& expression, const Cutting& cutting = {}) {
  return tokenizer(Attribute::of_string("tokenexp", expression), cutting);
}

TEST(tokenizer, gives_every_character_a_token) {
  const Tensor x = texts({1, 2}, {"a\xc3\xa4z", "b"});
  CHECK(is(run_one(by_separators({""}), {x}), {1, 2, 3}, {"a", "\xc3\xa4", "z", "b", "#", "#"}));
  CHECK(is(run_one(by_expression(".", {.mark = 1}), {texts({2}, {"ab", ""})}), {2, 4},
           {"\x02", "a", "b", "\x03", "\x02", "\x03", "#", "#"}));
  CHECK(is(run_one(by_separators({""}, {.mark = 1}), {texts({2}, {"", ""})}), {2, 0}, {}));
  CHECK(is(run_one(by_separators({""}), {texts({2, 0}, {})}), {2, 0, 0}, {}));
}

TEST(tokenizer, refuses_what_it_cannot_cut) {
  CHECK_CODE(run_op(by_separators({""}), {texts({1}, {"\xff"})}), Code::kInvalidArgument);
  CHECK_CODE(run_op(by_separators({""}), {texts({1, 1, 1}, {"a"})}), Code::kInvalidArgument);
  CHECK_CODE(run_op(by_separators({}), {texts({1}, {"a"})}), Code::kInvalidGraph);
  CHECK_CODE(run_op(by_separators({""}, {.mincharnum = 2}), {texts({1}, {"a"})}),
             Code::kInvalidGraph);
  CHECK_CODE(run_op(by_separators({" "}, {.mincharnum = 0}), {texts({1}, {"a"})}),
             Code::kInvalidGraph);
}

#ifdef ORTC_EXTRA_HAS_RE2

TEST(regex_full_match, matches_whole_texts_only) {
  const Tensor x = texts({2, 2}, {"ab", "abc", "", "a\nb"});
  CHECK(holds<bool>(run_one(full_match("ab?"), {x}), {2, 2}, {true, false, false, false}));
  CHECK(holds<bool>(run_one(full_match("(?s)a.*"), {x}), {2, 2}, {true, true, false, true}));
  CHECK(holds<bool>(run_one(full_match(""), {x}), {2, 2}, {false, false, true, false}));
  CHECK(holds<bool>(run_one(full_match("."), {texts({2}, {"\xc3\xa4", "\xc3"})}), {2},
                    {true, false}));
  CHECK(holds<bool>(run_one(full_match("a"), {texts({0}, {})}), {0}, {}));
}

TEST(regex_full_match, is_linear_in_the_text) {
  const std::string text(50000, 'a');
  CHECK(holds<bool>(run_one(full_match("(a*)*b"), {texts({1}, {text})}), {1}, {false}));
}

TEST(regex_full_match, names_a_pattern_that_is_none) {
  const auto failed = run_op(full_match("(a"), {texts({1}, {"a"})});
  CHECK_CODE(failed, Code::kInvalidGraph);
  CHECK(failed.status().message().find("'(a'") != std::string::npos);
  CHECK(failed.status().message().find("missing )") != std::string::npos);
}

// More patterns than are kept, twice.
TEST(regex_full_match, keeps_patterns_apart) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 40; ++i) {
      const Tensor x = texts({2}, {str_cat("x", i), "x"});
      CHECK(holds<bool>(run_one(full_match(str_cat("x", i)), {x}), {2}, {true, false}));
    }
  }
}

TEST(tokenizer, cuts_at_separators_one_after_the_other) {
  const Tensor x = texts({2}, {"a b,c", "d"});
  CHECK(is(run_one(by_separators({" ", ","}), {x}), {2, 3}, {"a", "b", "c", "d", "#", "#"}));
  CHECK(is(run_one(by_separators({" +"}), {texts({1}, {"  a   b  "})}), {1, 2}, {"a", "b"}));
  CHECK(is(run_one(by_separators({" "}, {.mark = 1}), {x}), {2, 4},
           {"\x02", "a", "b,c", "\x03", "\x02", "d", "\x03", "#"}));
  CHECK(is(run_one(by_separators({" "}, {.mark = 1}), {texts({1, 1}, {"   "})}), {1, 1, 0}, {}));
}

TEST(tokenizer, leaves_short_tokens_out) {
  const Tensor x = texts({1}, {"aa b \xc3\xa4\xc3\xb6 cc"});
  CHECK(is(run_one(by_separators({" "}, {.mincharnum = 2}), {x}), {1, 3},
           {"aa", "\xc3\xa4\xc3\xb6", "cc"}));
  CHECK(is(run_one(by_expression("[a-z]+", {.mincharnum = 2}), {x}), {1, 2}, {"aa", "cc"}));
}

TEST(tokenizer, takes_the_longest_match) {
  CHECK(is(run_one(by_expression("a|ab"), {texts({1}, {"ab a"})}), {1, 2}, {"ab", "a"}));
  CHECK(is(run_one(by_separators({";|;;"}), {texts({1}, {"a;;b"})}), {1, 2}, {"a", "b"}));
}

TEST(tokenizer, ends_where_a_pattern_matches_nothing) {
  CHECK(is(run_one(by_expression("x*"), {texts({1}, {"axxb"})}), {1, 1}, {"xx"}));
  CHECK(is(run_one(by_separators({"$"}), {texts({1}, {"ab"})}), {1, 1}, {"ab"}));
  CHECK(is(run_one(by_separators({"x*"}), {texts({1}, {"ab"})}), {1, 0}, {}));
}

TEST(tokenizer, names_a_pattern_that_is_none) {
  const auto failed = run_op(by_separators({" ", "["}), {texts({1}, {"a"})});
  CHECK_CODE(failed, Code::kInvalidGraph);
  CHECK(failed.status().message().find("'['") != std::string::npos);
}

#else

TEST(regex_full_match, says_that_its_library_is_missing) {
  const auto failed = run_op(full_match("a"), {texts({1}, {"a"})});
  CHECK_CODE(failed, Code::kNotImplemented);
  CHECK(failed.status().message().find("libort_c_extra.so") != std::string::npos);
}

#endif

}  // namespace
}  // namespace ortc::test
