// SPDX-License-Identifier: MIT
// The rules of Whisper for timestamps, tokens that say where in the recording words stand.
//
//   prompt, timestamp | words, timestamp | timestamp, words, timestamp | ..
//
// A timestamp may follow the prompt, one of the first 51. Behind that they stand in pairs, one that
// ends and one that begins, and never fall. Where all timestamps together are likelier than the
// likeliest word, a timestamp follows.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "providers/cpu/search_ops.h"

namespace ortc::cpu {

class TimestampRules {
 public:
  // `tokens`: TimestampTokens::kCount of them.
  TimestampRules(const int64_t* tokens, int64_t end) : tokens_(tokens), end_(end) {}
  // Fails where timestamps do not begin within the vocabulary.
  Status check(int64_t vocabulary) const;

  // Scores of all tokens that may follow: logarithms of probabilities, after the other rules.
  void apply(std::span<const int32_t> sequence, std::span<float> scores) const;

 private:
  bool is_timestamp(int32_t token) const { return token >= begin(); }
  int64_t begin() const { return tokens_[TimestampTokens::kBegin]; }
  void forbid_marks(bool is_behind_prompt, std::span<float> scores) const;
  void prefer_timestamps(std::span<float> scores) const;

  const int64_t* tokens_;
  int64_t end_;
};

}  // namespace ortc::cpu
