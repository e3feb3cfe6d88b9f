// SPDX-License-Identifier: MIT
// A step of a search for tokens, with everything that its kernel reads; and the rules for scores,
// plainly, one token after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/search_ops.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {

inline constexpr float kLowest = std::numeric_limits<float>::lowest();

inline Tensor i32s(Dims dims, const std::vector<int32_t>& elements) {
  return Tensor::from<int32_t>(std::move(dims), elements);
}
template <typename T>
std::vector<T> elements(const Tensor& x) {
  return {x.elements<T>().begin(), x.elements<T>().end()};
}

// What both forms of a step have. Of `sequences` the first `length` tokens are there.
struct StepState {
  int64_t batch = 1, beams = 1, words = 7, longest = 8, length = 3, step = 0;
  Tensor logits = {};                   // [rows, 1, words], or with more numbers than words
  std::vector<int32_t> sequences = {};  // [rows, longest]
  std::vector<Attribute> attributes = {};
  int64_t end = -1, padding = 0, gram = 0;
  float penalty = 1, temperature = 1;
  int32_t min_length = 0;
  Tensor vocab_mask = {}, prefix_mask = {};

  int64_t rows() const { return batch * beams; }
  const int32_t* sequence(int64_t row) const { return sequences.data() + row * longest; }
  std::vector<Attribute> all_attributes() const {
    std::vector<Attribute> all = attributes;
    all.push_back(Attribute::of_int("eos_token_id", end));
    all.push_back(Attribute::of_int("pad_token_id", padding));
    all.push_back(Attribute::of_int("no_repeat_ngram_size", gram));
    return all;
  }
  std::vector<Tensor> common_inputs() const {
    const int64_t n = rows();
    return {logits,
            i32s({n, longest}, sequences),
            Tensor::scalar(step),
            i32s({n}, std::vector<int32_t>(static_cast<size_t>(n), 5)),
            i32s({n, length}, std::vector<int32_t>(static_cast<size_t>(n * length), 1)),
            Tensor::scalar(min_length),
            Tensor::scalar(penalty),
            vocab_mask,
            prefix_mask};
  }
  static StepState random(Random& random, int64_t batch, int64_t beams, int64_t words) {
    StepState s{batch, beams, words};
    s.logits = random.floats({s.rows(), 1, words});
    for (int64_t i = 0; i < s.rows() * s.longest; ++i) {
      s.sequences.push_back(static_cast<int32_t>(random.between(0, words - 1)));
    }
    return s;
  }
};

// The scores of one row, changed in the order of the rules.
inline void keep_rules(const StepState& s, int64_t row, std::vector<float>& scores) {
  const int32_t* sequence = s.sequence(row);
  const auto stands_there = [&](int64_t token) {
    return std::find(sequence, sequence + s.length, token) != sequence + s.length;
  };
  const auto repeats = [&](int64_t token) {
    for (int64_t at = 0; s.gram > 0 && at + s.gram <= s.length; ++at) {
      bool is_same = sequence[at + s.gram - 1] == token;
      for (int64_t i = 0; i + 1 < s.gram; ++i) {
        is_same = is_same && sequence[at + i] == sequence[s.length - s.gram + 1 + i];
      }
      if (is_same) return true;
    }
    return false;
  };
  const auto masks = [&](const Tensor& mask, int64_t i) {
    return mask.is_defined() && mask.elements<int32_t>()[static_cast<size_t>(i)] == 0;
  };
  for (int64_t token = 0; token < s.words; ++token) {
    float& score = scores[static_cast<size_t>(token)];
    if (stands_there(token)) score = score < 0 ? score * s.penalty : score / s.penalty;
    const int64_t entry = row / s.beams;
    const bool is_forbidden = repeats(token) || masks(s.vocab_mask, token) ||
                              (s.step == 0 && masks(s.prefix_mask, entry * s.words + token)) ||
                              (token == s.end && s.length < s.min_length);
    if (is_forbidden) score = kLowest;
    if (s.temperature > 0) score /= s.temperature;
    if (std::isnan(score)) score = kLowest;
  }
}

// The state of beams behind the common one.
struct BeamState {
  std::vector<uint8_t> ended;
  std::vector<float> totals;
  std::vector<int32_t> found;
  std::vector<float> found_scores;
  std::vector<int32_t> found_lengths;

  explicit BeamState(const StepState& s)
      : ended(static_cast<size_t>(s.batch)),
        totals(static_cast<size_t>(s.rows())),
        found(static_cast<size_t>(s.rows() * s.longest)),
        found_scores(totals.size()),
        found_lengths(totals.size()) {}

  std::vector<Tensor> tensors(const StepState& s) const {
    Tensor flags = Tensor::create(DType::kBool, {s.batch}).value();
    std::copy(ended.begin(), ended.end(), static_cast<uint8_t*>(flags.mutable_data()));
    return {flags, f32s({s.rows()}, totals), i32s({s.batch, s.beams, s.longest}, found),
            f32s({s.batch, s.beams}, found_scores), i32s({s.batch, s.beams}, found_lengths)};
  }
};

inline Op beam_op(const StepState& s) {
  return {"NextBeams", 1, s.all_attributes(), cpu::NextBeams::kOutputCount,
          std::string(kInternalDomain)};
}
inline std::vector<Tensor> beam_inputs(const StepState& s, const BeamState& beams,
                                       float length_penalty = 1) {
  std::vector<Tensor> inputs = s.common_inputs();
  for (Tensor& x : beams.tensors(s)) inputs.push_back(std::move(x));
  inputs.push_back(Tensor::scalar(length_penalty));
  if (s.temperature != 1) inputs.push_back(Tensor::scalar(s.temperature));
  return inputs;
}

}  // namespace ortc::test
