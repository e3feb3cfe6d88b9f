// SPDX-License-Identifier: MIT
// The rules that change scores before a beam is chosen, each against plain loops: NextBeams gives
// the scores of all tokens.
#include "providers/cpu/kernels/search/timestamp_rules.h"
#include "tests/providers/cpu/kernels/search_testing.h"

namespace ortc::test {
namespace {

using N = cpu::NextBeams;

std::vector<float> log_softmax(const StepState& s, int64_t row) {
  const auto all = elements<float>(s.logits);
  const int64_t columns = s.logits.dims()[2];
  const float* x = all.data() + row * columns;
  double top = x[0], sum = 0;
  for (int64_t i = 0; i < s.words; ++i) top = std::max(top, double{x[i]});
  for (int64_t i = 0; i < s.words; ++i) sum += std::exp(x[i] - top);
  std::vector<float> y;
  for (int64_t i = 0; i < s.words; ++i) y.push_back(static_cast<float>(x[i] - top - std::log(sum)));
  return y;
}

// All scores of the step are what plain loops make of the logits.
void check_scores(const StepState& s) {
  BeamState beams(s);
  for (size_t row = 0; row < beams.totals.size(); ++row) {
    beams.totals[row] = -0.5f * static_cast<float>(row);
  }
  const auto outputs = run_op(beam_op(s), beam_inputs(s, beams));
  CHECK_OK(outputs);
  const auto found = elements<float>((*outputs)[N::kScores]);
  for (int64_t row = 0; row < s.rows(); ++row) {
    std::vector<float> expected = log_softmax(s, row);
    keep_rules(s, row, expected);
    for (int64_t i = 0; i < s.words; ++i) {
      const float want = expected[static_cast<size_t>(i)] + beams.totals[static_cast<size_t>(row)];
      const float is = found[static_cast<size_t>(row * s.words + i)];
      CHECK(want == is || std::abs(want - is) <= 1e-5f * std::max(1.0f, std::abs(want)));
    }
  }
}

template <typename Change>
void for_beam_steps(Change change) {
  Random random(7);
  for (const auto& [batch, beams, words] :
       {std::array<int64_t, 3>{1, 1, 1}, {1, 1, 7}, {1, 3, 9}, {2, 2, 5}, {3, 4, 17}}) {
    for (int64_t length = 1; length < 8; ++length) {
      StepState s = StepState::random(random, batch, beams, words);
      s.length = length;
      change(s, random);
      check_scores(s);
    }
  }
}

Tensor mask(Random& random, Dims dims) {
  Tensor m = Tensor::create(DType::kInt32, std::move(dims)).value();
  for (int32_t& x : m.mutable_elements<int32_t>()) x = static_cast<int32_t>(random.between(0, 1));
  return m;
}

TEST(search_rules, scores_without_rules_are_logarithms_of_probabilities) {
  for_beam_steps([](StepState&, Random&) {});
}

TEST(search_rules, a_token_that_stands_there_is_punished_once) {
  for_beam_steps([](StepState& s, Random&) { s.penalty = 1.5f; });
  for_beam_steps([](StepState& s, Random&) { s.penalty = 0.5f; });
}

TEST(search_rules, no_n_gram_stands_there_twice) {
  for (int64_t gram = 1; gram <= 8; ++gram) {
    for_beam_steps([gram](StepState& s, Random& random) {
      s.gram = gram;
      for (int32_t& token : s.sequences) {  // few words, so that they repeat
        token = static_cast<int32_t>(random.between(0, std::min<int64_t>(s.words, 2) - 1));
      }
    });
  }
}

TEST(search_rules, words_that_a_mask_leaves_out_score_lowest) {
  for_beam_steps([](StepState& s, Random& random) { s.vocab_mask = mask(random, {s.words}); });
}

TEST(search_rules, the_prefix_mask_counts_in_the_first_step_alone) {
  for (const int64_t step : {0, 1}) {
    for_beam_steps([step](StepState& s, Random& random) {
      s.step = step;
      s.prefix_mask = mask(random, {s.batch, s.words});
    });
  }
}

TEST(search_rules, the_end_comes_no_sooner_than_the_least_length) {
  for_beam_steps([](StepState& s, Random& random) {
    s.end = random.between(0, s.words);  // the last is not a word
    s.words += s.words == 1 ? 1 : 0;
    s.logits = random.floats({s.rows(), 1, s.words});
    s.min_length = 4;
  });
}

TEST(search_rules, the_temperature_divides_what_the_rules_left) {
  for (const float temperature : {0.5f, 2.0f, 0.0f, -1.0f}) {
    for_beam_steps([temperature](StepState& s, Random& random) {
      s.temperature = temperature;
      s.penalty = 1.2f;
      s.vocab_mask = mask(random, {s.words});
    });
  }
}

TEST(search_rules, numbers_behind_the_vocabulary_are_not_words) {
  for_beam_steps([](StepState& s, Random& random) {
    s.logits = random.floats({s.rows(), 1, s.words + 3});
    s.attributes = {Attribute::of_int("vocab_size", s.words)};
  });
}

TEST(search_rules, a_row_with_a_nan_scores_lowest_and_others_go_on) {
  for (const int64_t place : {0, 3, 6}) {
    Random random(3);
    StepState s = StepState::random(random, 1, 2, 7);
    s.logits.mutable_elements<float>()[static_cast<size_t>(place)] = std::nanf("");
    BeamState beams(s);
    const auto outputs = run_op(beam_op(s), beam_inputs(s, beams));
    CHECK_OK(outputs);
    const auto scores = elements<float>((*outputs)[N::kScores]);
    CHECK(std::all_of(scores.begin(), scores.begin() + 7, [](float x) { return x == kLowest; }));
    for (const int64_t row : elements<int64_t>((*outputs)[N::kPastRows])) CHECK(row == 1);
  }
}

// --- Timestamps, token by token: the rules of the header as questions.

constexpr int64_t kTokens[] = {11, 12, 13, 14, 16, 17};  // in the order of TimestampTokens
constexpr int64_t kEnd = 10, kBegin = 17;

bool may_follow(const std::vector<int32_t>& sequence, int64_t token) {
  const auto is_timestamp = [](int32_t x) { return x >= kBegin; };
  const auto first = std::find_if(sequence.begin(), sequence.end(), is_timestamp);
  const bool is_behind = first != sequence.end() && first + 1 != sequence.end();
  if (token == 16 || token == 14) return false;
  if (is_behind && (token == 11 || token == 12 || token == 13)) return false;
  const bool ends_in_one = is_timestamp(sequence.back());
  const bool ends_in_pair = ends_in_one && (!is_behind || is_timestamp(sequence.end()[-2]));
  if (ends_in_pair && token >= kBegin) return false;
  if (ends_in_one && !ends_in_pair && token < kEnd) return false;
  int64_t last = -1;
  for (const int32_t x : sequence) last = is_timestamp(x) ? x : last;
  if (last >= 0 && token >= kBegin && token < last + (ends_in_one && !ends_in_pair ? 0 : 1)) {
    return false;
  }
  return is_behind || token <= kBegin + 50;
}

TEST(search_rules, timestamps_stand_in_pairs_and_do_not_fall) {
  Random random(11);
  const cpu::TimestampRules rules(kTokens, kEnd);
  CHECK_OK(rules.check(90));
  for (int round = 0; round < 500; ++round) {
    std::vector<int32_t> sequence;
    const int64_t length = random.between(1, 7);
    for (int64_t i = 0; i < length; ++i) {
      const bool is_timestamp = random.between(0, 2) == 0;
      sequence.push_back(
          static_cast<int32_t>(random.between(is_timestamp ? 17 : 0, is_timestamp ? 80 : 16)));
    }
    std::vector<float> scores, expected;
    for (int64_t i = 0; i < 90; ++i) scores.push_back(random.number() - 4);
    for (int64_t i = 0; i < 90; ++i) {
      expected.push_back(may_follow(sequence, i) ? scores[static_cast<size_t>(i)] : kLowest);
    }
    double sum = 0;
    float word = kLowest;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i >= kBegin && expected[i] > kLowest) sum += std::exp(double{expected[i]});
      if (i < kBegin) word = std::max(word, expected[i]);
    }
    const bool is_near = sum > 0 && std::abs(std::log(sum) - word) < 1e-4;
    if (sum > 0 && std::log(sum) > word) std::fill_n(expected.begin(), kBegin, kLowest);
    rules.apply(sequence, scores);
    CHECK(is_near || scores == expected);
  }
}

TEST(search_rules, timestamps_begin_within_the_vocabulary) {
  const cpu::TimestampRules rules(kTokens, kEnd);
  CHECK_OK(rules.check(18));
  CHECK_CODE(rules.check(17), Code::kInvalidArgument);
  const int64_t none[] = {11, 12, 13, 14, 16, -1};
  CHECK_CODE(cpu::TimestampRules(none, kEnd).check(90), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
