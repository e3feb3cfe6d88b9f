// SPDX-License-Identifier: MIT
// The rules of Whisper for timestamps: see the header.
#include "providers/cpu/kernels/search/timestamp_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ortc::cpu {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr int64_t kFirstTimestamps = 51;  // those that may come first: a second, in steps of 20 ms

// Of tokens [first, last), as far as they exist.
void forbid(std::span<float> scores, int64_t first, int64_t last) {
  const auto count = static_cast<int64_t>(scores.size());
  first = std::clamp<int64_t>(first, 0, count);
  last = std::clamp<int64_t>(last, first, count);
  std::fill(scores.begin() + first, scores.begin() + last, kLowest);
}

}  // namespace

Status TimestampRules::check(int64_t vocabulary) const {
  if (begin() > 0 && begin() < vocabulary) return Status::ok();
  return invalid_argument("attribute 'beginning_timestamp_token_id' is ", begin(),
                          ", expected 1 to ", vocabulary - 1, " where logits_processor is 1");
}

void TimestampRules::apply(std::span<const int32_t> sequence, std::span<float> scores) const {
  const auto count = static_cast<int64_t>(scores.size());
  const auto is_one = [this](int32_t token) { return is_timestamp(token); };
  const auto first = std::find_if(sequence.begin(), sequence.end(), is_one);
  const auto last = std::find_if(sequence.rbegin(), sequence.rend(), is_one);
  // The first timestamp ends the prompt.
  const bool is_behind_prompt = first != sequence.end() && first + 1 != sequence.end();
  const bool ends_in_one = last == sequence.rbegin() && last != sequence.rend();
  const bool ends_in_pair = ends_in_one && (!is_behind_prompt || is_timestamp(sequence.end()[-2]));
  forbid_marks(is_behind_prompt, scores);
  if (ends_in_pair) {
    forbid(scores, begin(), count);
  } else if (ends_in_one) {
    forbid(scores, 0, end_);
  }
  if (last != sequence.rend()) {
    forbid(scores, begin(), int64_t{*last} + (ends_in_one && !ends_in_pair ? 0 : 1));
  }
  if (!is_behind_prompt) forbid(scores, begin() + kFirstTimestamps, count);
  prefer_timestamps(scores);
}

// What a prompt is made of, and no speech.
void TimestampRules::forbid_marks(bool is_behind_prompt, std::span<float> scores) const {
  using T = TimestampTokens;
  for (const size_t i : {T::kNoTimestamps, T::kLanguageModel}) {
    if (tokens_[i] >= 0) forbid(scores, tokens_[i], tokens_[i] + 1);
  }
  if (!is_behind_prompt) return;
  for (const size_t i : {T::kStart, T::kTranslate, T::kTranscribe}) {
    if (tokens_[i] >= 0) forbid(scores, tokens_[i], tokens_[i] + 1);
  }
}

void TimestampRules::prefer_timestamps(std::span<float> scores) const {
  const auto words = scores.first(static_cast<size_t>(begin()));
  const auto timestamps = scores.subspan(words.size());
  const float top = *std::max_element(timestamps.begin(), timestamps.end());
  float sum = 0;
  for (const float score : timestamps) {
    if (score > kLowest) sum += std::exp(score - top);
  }
  const float together = sum > 0 ? std::log(sum) + top : kLowest;
  if (together > *std::max_element(words.begin(), words.end())) {
    std::fill(words.begin(), words.end(), kLowest);
  }
}

}  // namespace ortc::cpu
