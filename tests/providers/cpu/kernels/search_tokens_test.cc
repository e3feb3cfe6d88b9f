// SPDX-License-Identifier: MIT
// NextTokens, a step of GreedySearch and Sampling, against plain loops and the standard library's
// random numbers.
#include <random>

#include "tests/providers/cpu/kernels/search_testing.h"

namespace ortc::test {
namespace {

using T = cpu::NextTokens;

struct Rows {
  std::vector<uint8_t> ended;
  int64_t engine = 5;
  Tensor presence = {};
};

Result<std::vector<Tensor>> run_step(const StepState& s, const Rows& rows) {
  const Op op{"NextTokens", 1, s.all_attributes(), T::kOutputCount, std::string(kInternalDomain)};
  std::vector<Tensor> inputs = s.common_inputs();
  Tensor flags = Tensor::create(DType::kBool, {s.batch}).value();
  std::copy(rows.ended.begin(), rows.ended.end(), static_cast<uint8_t*>(flags.mutable_data()));
  inputs.insert(inputs.end(), {flags, Tensor::scalar(rows.engine), rows.presence});
  return run_op(op, inputs);
}

std::vector<float> plain_scores(const StepState& s, int64_t row) {
  const float* x = s.logits.elements<float>().data() + row * s.words;
  std::vector<float> scores(x, x + s.words);
  keep_rules(s, row, scores);
  return scores;
}

// Tokens of the step are those that `choose` takes of a row's scores; ended rows get padding.
template <typename Choose>
void check_step(const StepState& s, const Rows& rows, Choose choose) {
  const auto out = run_step(s, rows);
  CHECK_OK(out);
  bool all_ended = true;
  for (int64_t row = 0; row < s.batch; ++row) {
    const auto i = static_cast<size_t>(row);
    const int64_t token = choose(plain_scores(s, row), row);
    const bool has_ended = rows.ended[i] != 0 || token == s.end;
    all_ended = all_ended && has_ended;
    CHECK_EQ(static_cast<const uint8_t*>((*out)[T::kEndedNow].data())[i], has_ended ? 1 : 0);
    CHECK_EQ((*out)[T::kRows].elements<int32_t>()[i],
             static_cast<int32_t>(has_ended ? s.padding : token));
    CHECK_EQ((*out)[T::kPositions].elements<int32_t>()[i], static_cast<int32_t>(5 + s.step));
  }
  CHECK_EQ(*static_cast<const uint8_t*>((*out)[T::kGoesOn].data()), all_ended ? 0 : 1);
}

int64_t likeliest(const std::vector<float>& scores, int64_t) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

template <typename Change>
void for_token_steps(Change change) {
  Random random(9);
  for (const int64_t batch : {1, 2, 5}) {
    for (const int64_t words : {1, 2, 7, 19}) {
      for (int64_t step = 0; step < 3; ++step) {
        StepState s = StepState::random(random, batch, 1, words);
        s.step = step;
        s.end = random.between(-1, words - 1);
        s.padding = random.between(0, words - 1);
        Rows rows{std::vector<uint8_t>(static_cast<size_t>(batch))};
        for (uint8_t& ended : rows.ended) ended = random.between(0, 3) == 0 ? 1 : 0;
        change(s, rows, random);
      }
    }
  }
}

TEST(search_tokens, the_likeliest_follows_after_all_rules) {
  for_token_steps([](StepState& s, Rows& rows, Random& random) {
    s.penalty = 1.3f, s.gram = 2, s.min_length = 4;
    s.vocab_mask = Tensor::create(DType::kInt32, {s.words}).value();
    for (int32_t& x : s.vocab_mask.mutable_elements<int32_t>()) x = random.between(0, 2) > 0;
    s.prefix_mask = Tensor::create(DType::kInt32, {s.batch, s.words}).value();
    for (int32_t& x : s.prefix_mask.mutable_elements<int32_t>()) x = random.between(0, 2) > 0;
    check_step(s, rows, likeliest);
  });
}

TEST(search_tokens, of_words_that_are_all_masked_the_first_follows) {
  for_token_steps([](StepState& s, Rows& rows, Random&) {
    s.vocab_mask = Tensor::create(DType::kInt32, {s.words}).value();
    check_step(s, rows, [](const std::vector<float>&, int64_t) { return int64_t{0}; });
  });
}

TEST(search_tokens, a_score_that_is_nan_is_the_lowest) {
  for_token_steps([](StepState& s, Rows& rows, Random& random) {
    const auto count = static_cast<int64_t>(s.logits.element_count());
    for (int i = 0; i < 4; ++i) {
      s.logits.mutable_elements<float>()[static_cast<size_t>(random.between(0, count - 1))] =
          std::nanf("");
    }
    check_step(s, rows, likeliest);
  });
}

TEST(search_tokens, words_that_were_present_are_punished) {
  for_token_steps([](StepState& s, Rows& rows, Random& random) {
    s.attributes = {Attribute::of_float("presence_penalty", 1.5f)};
    rows.presence = Tensor::create(DType::kInt32, {s.batch, s.words}).value();
    for (int32_t& x : rows.presence.mutable_elements<int32_t>()) {
      x = static_cast<int32_t>(random.between(0, 3));
    }
    check_step(s, rows, [&](std::vector<float> scores, int64_t row) {
      for (size_t i = 0; i < scores.size(); ++i) {
        const size_t at = static_cast<size_t>(row * s.words) + i;
        scores[i] -= static_cast<float>(rows.presence.elements<int32_t>()[at]) * 1.5f;
      }
      return likeliest(scores, row);
    });
  });
}

// --- Drawn tokens.

// Keeps the likeliest whose probabilities reach `top_p`: those that follow a sum that is enough, or
// (not `down`) all of the least likely whose sum leaves too little, are filtered.
void filter(std::vector<float>& scores, float top_p, bool down, int64_t kept, float filtered) {
  std::vector<size_t> order(scores.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::vector<float> old = scores;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return down ? old[a] > old[b] : old[a] < old[b]; });
  double total = 0;
  const float top = *std::max_element(old.begin(), old.end());
  for (const size_t i : order) total += std::exp(double{old[i]} - top);
  float sum = 0;
  const auto count = static_cast<int64_t>(order.size());
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    sum += static_cast<float>(std::exp(double{old[order[at]]} - top) / total);
    if (down && i + 1 < count && sum > top_p) scores[order[at + 1]] = filtered;
    const bool is_early = i < std::max<int64_t>(1, count - std::min(kept, count));
    if (!down && is_early && sum <= 1 - top_p) scores[order[at]] = filtered;
  }
}

TEST(search_tokens, drawn_are_those_that_the_standard_library_draws) {
  for (const bool down : {false, true}) {
    for (const float temperature : {1.0f, 0.5f}) {
      for (const int64_t kept : {0, 1, 4}) {
        for_token_steps([&](StepState& s, Rows& rows, Random& random) {
          s.step = 0;  // the state is the seed
          rows.engine = random.between(0, 3) == 0 ? 0 : random.between(1, INT32_MAX);
          s.temperature = temperature;
          s.attributes = {Attribute::of_int("samples", 1),
                          Attribute::of_int("custom", down),
                          Attribute::of_float("top_p", 0.7f),
                          Attribute::of_float("filter_value", -3),
                          Attribute::of_int("min_tokens_to_keep", kept),
                          Attribute::of_float("temperature", temperature)};
          std::minstd_rand0 engine(static_cast<uint32_t>(rows.engine));
          check_step(s, rows, [&](std::vector<float> scores, int64_t) {
            filter(scores, 0.7f, down, kept, -3);
            const float top = *std::max_element(scores.begin(), scores.end());
            std::vector<double> sums;
            double total = 0;
            for (const float x : scores) sums.push_back(total += std::exp(double{x} - top));
            const double wanted = std::uniform_real_distribution<double>(0, 1)(engine) * total;
            return static_cast<int64_t>(std::upper_bound(sums.begin(), sums.end(), wanted) -
                                        sums.begin());
          });
        });
      }
    }
  }
}

TEST(search_tokens, the_state_of_the_engine_goes_from_step_to_step) {
  Random random(2);
  StepState s = StepState::random(random, 3, 1, 9);
  s.attributes = {Attribute::of_int("samples", 1), Attribute::of_float("top_p", 1)};
  Rows rows{std::vector<uint8_t>(3), 42};
  std::minstd_rand0 engine(42);
  for (s.step = 0; s.step < 4; ++s.step) {
    const auto out = run_step(s, rows);
    CHECK_OK(out);
    engine.discard(2 * 3);  // two numbers for each row
    std::minstd_rand0 next = engine;
    rows.engine = (*out)[T::kEngineNow].elements<int64_t>()[0];
    CHECK_EQ(static_cast<int64_t>(next()), rows.engine * 16807 % 2147483647);
  }
  rows.engine = -1;
  CHECK_CODE(run_step(s, rows), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
