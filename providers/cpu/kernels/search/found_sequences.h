// SPDX-License-Identifier: MIT
// The ended sequences that a beam search has found so far, the best of each batch entry first. They
// go from step to step as three tensors.
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

// Those of one entry. One without a length is still free.
struct FoundSequences {
  int64_t beams, longest;
  int32_t* tokens;
  float* scores;
  int32_t* lengths;

  bool is_full() const { return lengths[beams - 1] > 0; }
  float worst() const { return scores[beams - 1]; }
  // Of equal scores the one that was there before is the better.
  void offer(const int32_t* sequence, int64_t length, float score);
};

// The score by which sequences of different lengths compare.
float length_score(float total, int64_t length, float penalty);
float length_penalty(const RunContext& ctx, size_t i);
Status check_length_penalty(const BindContext& ctx, size_t i);

// Inputs from `first` on: whether each entry has ended, the totals of all `rows` beams, then
// tokens, scores and lengths of what is found.
Status check_found(const BindContext& ctx, size_t first, int64_t rows, int64_t longest);

}  // namespace ortc::cpu
