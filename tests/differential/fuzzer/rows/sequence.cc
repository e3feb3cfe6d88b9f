// SPDX-License-Identifier: MIT
// Sequences of tensors, optionals, and texts.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

std::string sequence(Drawing& d) {
  const std::string x = d.any(kFloat | mask_of(DType::kInt64), 1, 3);
  Names inputs{x};
  for (int64_t i = d.chance().between(0, 2); i > 0; --i)
    inputs.push_back(d.like(d.type_of(x), d.dims_of(x)));
  return d.add("SequenceConstruct", inputs);
}

size_t length_of(Drawing& d, const std::string& name) {
  if (!d.is_there(name)) return 1;
  const Sequence* sequence = d.graph().values.at(name).datum.sequence();
  return sequence != nullptr ? sequence->items.size() : 1;
}

std::string place(Drawing& d, const std::string& of, int64_t beyond = 0) {
  const auto size = static_cast<int64_t>(length_of(d, of));
  return d.scalar(DType::kInt64, static_cast<double>(d.chance().between(-size, size - 1 + beyond)));
}

void construct(Drawing& d) { d.add("SequenceLength", {sequence(d)}); }

void at(Drawing& d) {
  const std::string s = sequence(d);
  d.add("SequenceAt", {s, place(d, s)});
}

template <bool is_into_empty>
void insert(Drawing& d) {
  const std::string x = d.any(kFloat, 1, 3);
  const std::string s =
      is_into_empty ? d.add("SequenceEmpty", {})
                    : d.add("SequenceConstruct", {x, d.like(DType::kFloat32, d.dims_of(x))});
  const std::string more =
      d.add("SequenceInsert", {s, x, d.chance().one_in(2) ? "" : place(d, s, 1)});
  d.add("ConcatFromSequence", {more},
        {of_int("axis", d.chance().between(-1, 0)), of_int("new_axis", d.chance().between(0, 1))});
}

void erase(Drawing& d) {
  const std::string s = sequence(d);
  const std::string less = d.add("SequenceErase", {s, d.chance().one_in(2) ? "" : place(d, s)});
  d.add("SequenceLength", {less});
}

void split(Drawing& d) {
  const std::string x = d.any(kFloat | mask_of(DType::kInt64), 1, 3);
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return d.fail();
  const bool by_one = d.chance().one_in(2);
  Attributes attributes{of_int("axis", axis)};
  if (by_one) attributes.push_back(of_int("keepdims", d.chance().between(0, 1)));
  const std::string s = d.add(
      "SplitToSequence",
      {x, by_one ? "" : d.scalar(DType::kInt64, static_cast<double>(d.chance().between(1, 3)))},
      attributes);
  if (length_of(d, s) == 0) return;
  d.add("SequenceAt", {s, place(d, s)});
}

void optional(Drawing& d) {
  const std::string x = d.any(kFloat, 0, 3);
  d.add("OptionalHasElement", {x});
  d.add("OptionalGetElement", {x});
}

void wrap(Drawing& d) {
  const std::string x = d.chance().one_in(3) ? sequence(d) : d.any(kFloat, 0, 3);
  const std::string wrapped = d.add("Optional", {x});
  const std::string inside = d.add("OptionalGetElement", {wrapped});
  if (length_of(d, inside) > 0 && !d.is_tensor(inside)) d.add("SequenceLength", {inside});
}

// How often each number of a pool stands there, and pairs of them.
void count_terms(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kInt32 : DType::kInt64;
  d.add("TfIdfVectorizer",
        {d.input(t, d.chance().one_in(2) ? Dims{d.chance().between(1, 9)} : Dims{2, 5},
                 {Fill::kWhole, 0, 4})},
        {of_text("mode", d.chance().of(std::vector<std::string>{"TF", "IDF", "TFIDF"})),
         of_int("min_gram_length", 1),
         of_int("max_gram_length", 2),
         of_int("max_skip_count", 1),
         of_ints("ngram_counts", {0, 3}),
         of_ints("ngram_indexes", {0, 1, 2, 3, 4}),
         of_ints("pool_int64s", {1, 2, 3, 1, 2, 3, 1}),
         {"weights", std::vector<float>{0.5f, 1, 2, 0.25f, 1}}});
}

void join_texts(Drawing& d) {
  const std::string a = d.any(kTexts, 0, 3);
  d.add("StringConcat", {a, d.broadcasting(DType::kString, d.dims_of(a))});
}

void split_text(Drawing& d) {
  d.add_many("StringSplit", {d.any(kTexts, 0, 2)},
             {of_text("delimiter", d.chance().one_in(2) ? "," : " ")}, 2, "",
             static_cast<unsigned>(d.chance().between(1, 3)));
}

void normalise_text(Drawing& d) {
  const std::string x = d.input(DType::kString, {d.chance().between(1, 5)});
  d.add("StringNormalizer", {x},
        {of_text("case_change_action", d.chance().one_in(2) ? "UPPER" : "LOWER")});
}

void match_text(Drawing& d) {
  d.add("RegexFullMatch", {d.any(kTexts, 0, 3)}, {of_text("pattern", "[a-z]+( [a-z]+)?")});
}

}  // namespace

std::vector<OperatorRow> sequence_rows() {
  return {
      {"SequenceConstruct", "", 11, kExact, 0, construct},
      {"SequenceLength", "", 11, kExact | kHelper, 0, nullptr},
      {"SequenceAt", "", 11, kExact, 0, at},
      {"SequenceInsert", "", 11, kExact, 0, insert<false>},
      {"SequenceEmpty", "", 11, kExact, 0, insert<true>},
      {"ConcatFromSequence", "", 11, kExact, 0, insert<false>},
      {"SequenceErase", "", 11, kExact, 0, erase},
      {"SplitToSequence", "", 11, kExact, 0, split},
      {"Optional", "", 15, kExact, 0, wrap},
      {"TfIdfVectorizer", "", 9, kPlain, 2, count_terms},
      {"OptionalHasElement", "", 18, kExact, 0, optional},
      {"OptionalGetElement", "", 18, kExact | kHelper, 0, nullptr},
      {"StringConcat", "", 20, kExact, 0, join_texts},
      {"StringSplit", "", 20, kExact, 0, split_text},
      {"StringNormalizer", "", 10, kExact, 0, normalise_text},
      {"RegexFullMatch", "", 20, kExact, 0, match_text},
  };
}

}  // namespace ortc::fuzz
