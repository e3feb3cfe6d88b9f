// SPDX-License-Identifier: MIT
// What both forms of a search step share: the record, the checks of their inputs, and the rules
// that change scores before a token is chosen.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/search_ops.h"

namespace ortc::cpu {

struct SearchParams {
  uint32_t record_bytes;
  uint32_t stops_early;
  int64_t end, padding;  // tokens
  int64_t gram;          // no n-gram of this size is repeated; 0: any is
  int64_t vocabulary;    // 0: as many as there are logits
  uint32_t samples, sorts_down;
  int64_t kept_tokens;
  float temperature, top_p, filter_value, presence_penalty;
};
static_assert(sizeof(SearchParams) == 72);

SearchParams read_search_params(const Node& node);

// Sizes of a step, known when it is bound.
struct StepSizes {
  int64_t rows, logits, columns;  // of logits: rows, tokens of a row, numbers of a token
  int64_t vocabulary;
  int64_t length, longest;  // of sequences: now, and at most
};

// Checks the inputs of SearchStep and gives its outputs their shapes.
Result<StepSizes> bind_search_step(BindContext& ctx, size_t inputs, size_t outputs);
// Inputs [first, last] are there.
Status check_state(const BindContext& ctx, size_t first, size_t last);
// The same numbers at the run.
StepSizes step_sizes(const RunContext& ctx);
// Of a value that only the run knows.
Status check_penalty(const RunContext& ctx);
// A scalar or one number in a vector.
bool is_one_number(const ValueRef& x);

class ScoreRules {
 public:
  // `flags`: room for a byte for each number of the scores.
  ScoreRules(const RunContext& ctx, const StepSizes& sizes, const ValueRef* presence,
             float temperature, uint8_t* flags);
  // Of the last token of `row`.
  const float* logits(int64_t row) const;
  // `scores` of all tokens of the vocabulary after `row` of the sequences. None is NaN afterwards.
  void apply(int64_t row, int64_t batch_entry, float* scores) const;

 private:
  void punish_repetition(const int32_t* sequence, uint8_t* flags, float* scores) const;
  void forbid_grams(const int32_t* sequence, float* scores) const;
  bool is_word(int32_t token) const { return token >= 0 && token < sizes_.vocabulary; }

  const RunContext& ctx_;
  const SearchParams& params_;
  const StepSizes sizes_;
  const ValueRef* const presence_;
  const float temperature_;
  uint8_t* const flags_;
  float penalty_ = 1;
  int64_t min_length_ = 0;
  const int32_t *vocab_mask_ = nullptr, *prefix_mask_ = nullptr;
};

// Sequences grow by a token each: row i goes on with `from[i]`. Fills the outputs of SearchStep but
// the first.
void append_tokens(const RunContext& ctx, const StepSizes& sizes, const int64_t* from,
                   const int32_t* tokens);

}  // namespace ortc::cpu
