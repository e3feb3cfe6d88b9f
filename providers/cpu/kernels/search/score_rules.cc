// SPDX-License-Identifier: MIT
// What both forms of a search step share: see the header.
#include "providers/cpu/kernels/search/score_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr TypeMask kI32 = mask_of(DType::kInt32), kF32 = mask_of(DType::kFloat32);

// A mask over the vocabulary, in `rows` rows when it has two axes.
Status check_mask(const BindContext& ctx, size_t i, size_t rank, int64_t vocabulary) {
  if (!ctx.has_input(i)) return Status::ok();
  const ValueRef& mask = ctx.input(i);
  if (mask.rank != rank || mask.dim(rank - 1) != vocabulary) {
    return invalid_argument("a mask has shape ", dims_to_string(mask.dims()), ", expected ", rank,
                            " axes, the last of ", vocabulary, " tokens");
  }
  return Status::ok();
}

Status check_step_types(const BindContext& ctx) {
  using S = SearchStep;
  RETURN_IF_ERROR(check_type(ctx, S::kLogits, kF32));
  RETURN_IF_ERROR(check_type(ctx, S::kStep, mask_of(DType::kInt64)));
  RETURN_IF_ERROR(check_type(ctx, S::kRepetitionPenalty, kF32));
  for (const size_t i :
       {S::kSequences, S::kLengths, S::kSeen, S::kMinLength, S::kVocabMask, S::kPrefixMask}) {
    RETURN_IF_ERROR(check_type(ctx, i, kI32));
  }
  for (const size_t i : {S::kStep, S::kMinLength, S::kRepetitionPenalty}) {
    if (ctx.has_input(i) && !is_one_number(ctx.input(i))) {
      return invalid_argument("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                              ", expected one number");
    }
  }
  return Status::ok();
}

}  // namespace

bool is_one_number(const ValueRef& x) { return x.rank == 0 || (x.rank == 1 && x.dim(0) == 1); }

SearchParams read_search_params(const Node& node) {
  SearchParams p{};
  p.record_bytes = sizeof p;
  p.stops_early = node.int_attribute("early_stopping", 0) == 1 ? 1 : 0;
  p.end = node.int_attribute("eos_token_id", -1);
  p.padding = node.int_attribute("pad_token_id", -1);
  p.gram = std::max<int64_t>(node.int_attribute("no_repeat_ngram_size", 0), 0);
  p.vocabulary = std::max<int64_t>(node.int_attribute("vocab_size", 0), 0);
  p.samples = node.int_attribute("samples", 0) != 0 ? 1 : 0;
  p.sorts_down = node.int_attribute("custom", 0) != 0 ? 1 : 0;
  p.kept_tokens = std::max<int64_t>(node.int_attribute("min_tokens_to_keep", 0), 0);
  p.temperature = node.float_attribute("temperature", 1);
  p.top_p = node.float_attribute("top_p", 0);
  p.filter_value = node.float_attribute("filter_value", -1e20f);
  p.presence_penalty = node.float_attribute("presence_penalty", 0);
  return p;
}

Result<StepSizes> bind_search_step(BindContext& ctx, size_t inputs, size_t outputs) {
  using S = SearchStep;
  const auto* params = ctx.params<SearchParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->gram < 0 || params->vocabulary < 0 || params->kept_tokens < 0) {
    return damaged_params("n-grams of ", params->gram, " tokens, of ", params->vocabulary,
                          ", of which ", params->kept_tokens, " are kept");
  }
  RETURN_IF_ERROR(check_arity(ctx, S::kSeen + 1, inputs, outputs));
  RETURN_IF_ERROR(check_step_types(ctx));
  const ValueRef &logits = ctx.input(S::kLogits), &sequences = ctx.input(S::kSequences),
                 &seen = ctx.input(S::kSeen), &lengths = ctx.input(S::kLengths);
  const bool has_ranks =
      logits.rank == 3 && sequences.rank == 2 && seen.rank == 2 && lengths.rank == 1;
  if (!has_ranks || logits.dim(0) != sequences.dim(0) || seen.dim(0) != logits.dim(0) ||
      lengths.dim(0) != logits.dim(0) || logits.dim(1) < 1 || logits.dim(2) < 1) {
    return invalid_argument("logits ", dims_to_string(logits.dims()), ", sequences ",
                            dims_to_string(sequences.dims()), " and their mask ",
                            dims_to_string(seen.dims()), " do not fit each other");
  }
  StepSizes sizes{logits.dim(0), logits.dim(1), logits.dim(2), 0, seen.dim(1), sequences.dim(1)};
  sizes.vocabulary = params->vocabulary > 0 ? params->vocabulary : sizes.columns;
  if (sizes.vocabulary > sizes.columns) {
    return invalid_argument("attribute 'vocab_size' is ", sizes.vocabulary, ", but there are ",
                            sizes.columns, " logits");
  }
  if (sizes.length < 1 || sizes.length >= sizes.longest) {
    return invalid_argument("sequences have ", sizes.length, " of ", sizes.longest, " tokens");
  }
  RETURN_IF_ERROR(check_mask(ctx, S::kVocabMask, 1, sizes.vocabulary));
  RETURN_IF_ERROR(check_mask(ctx, S::kPrefixMask, 2, sizes.vocabulary));
  RETURN_IF_ERROR(ctx.set_output(S::kGoesOn, DType::kBool, {}));
  RETURN_IF_ERROR(ctx.set_output(S::kRows, DType::kInt32, {sizes.rows, 1}));
  RETURN_IF_ERROR(ctx.set_output(S::kPositions, DType::kInt32, {sizes.rows, 1}));
  RETURN_IF_ERROR(ctx.set_output(S::kSeenNow, DType::kInt32, {sizes.rows, sizes.length + 1}));
  RETURN_IF_ERROR(ctx.set_output(S::kSequencesNow, DType::kInt32, sequences.dims()));
  return sizes;
}

Status check_state(const BindContext& ctx, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
  }
  return Status::ok();
}

StepSizes step_sizes(const RunContext& ctx) {
  const ValueRef& logits = ctx.input(SearchStep::kLogits);
  const int64_t given = ctx.params<SearchParams>().vocabulary;
  return {logits.dim(0),
          logits.dim(1),
          logits.dim(2),
          given > 0 ? given : logits.dim(2),
          ctx.input(SearchStep::kSeen).dim(1),
          ctx.input(SearchStep::kSequences).dim(1)};
}

Status check_penalty(const RunContext& ctx) {
  if (!ctx.has_input(SearchStep::kRepetitionPenalty)) return Status::ok();
  const float penalty = *ctx.input(SearchStep::kRepetitionPenalty).as<float>();
  if (penalty > 0) return Status::ok();
  return invalid_argument("repetition_penalty is ", penalty, ", expected more than 0");
}

ScoreRules::ScoreRules(const RunContext& ctx, const StepSizes& sizes, const ValueRef* presence,
                       float temperature, uint8_t* flags)
    : ctx_(ctx),
      params_(ctx.params<SearchParams>()),
      sizes_(sizes),
      presence_(presence),
      temperature_(temperature),
      flags_(flags) {
  using S = SearchStep;
  if (ctx.has_input(S::kRepetitionPenalty)) {
    penalty_ = *ctx.input(S::kRepetitionPenalty).as<float>();
  }
  if (ctx.has_input(S::kMinLength)) min_length_ = *ctx.input(S::kMinLength).as<int32_t>();
  if (ctx.has_input(S::kVocabMask)) vocab_mask_ = ctx.input(S::kVocabMask).as<int32_t>();
  const bool is_first = *ctx.input(S::kStep).as<int64_t>() == 0;
  if (is_first && ctx.has_input(S::kPrefixMask)) {
    prefix_mask_ = ctx.input(S::kPrefixMask).as<int32_t>();
  }
}

const float* ScoreRules::logits(int64_t row) const {
  return ctx_.input(SearchStep::kLogits).as<float>() +
         ((row + 1) * sizes_.logits - 1) * sizes_.columns;
}

void ScoreRules::apply(int64_t row, int64_t batch_entry, float* scores) const {
  const int32_t* sequence = ctx_.input(SearchStep::kSequences).as<int32_t>() + row * sizes_.longest;
  const int64_t words = sizes_.vocabulary;
  if (penalty_ != 1) punish_repetition(sequence, flags_ + row * words, scores);
  if (params_.gram > 0) forbid_grams(sequence, scores);
  const int32_t* prefix = prefix_mask_ != nullptr ? prefix_mask_ + batch_entry * words : nullptr;
  for (const int32_t* mask : {vocab_mask_, prefix}) {
    if (mask == nullptr) continue;
    for (int64_t i = 0; i < words; ++i) scores[i] = mask[i] == 0 ? kLowest : scores[i];
  }
  const bool has_end = params_.end >= 0 && params_.end < words;
  if (sizes_.length < min_length_ && has_end) scores[params_.end] = kLowest;
  if (temperature_ > 0 && temperature_ != 1) {
    for (int64_t i = 0; i < words; ++i) scores[i] /= temperature_;
  }
  if (presence_ != nullptr) {
    const int32_t* present = presence_->as<int32_t>() + batch_entry * words;
    for (int64_t i = 0; i < words; ++i) {
      scores[i] -= static_cast<float>(present[i]) * params_.presence_penalty;
    }
  }
  for (int64_t i = 0; i < words; ++i) scores[i] = std::isnan(scores[i]) ? kLowest : scores[i];
}

// Once for each token, however often it stands there.
void ScoreRules::punish_repetition(const int32_t* sequence, uint8_t* flags, float* scores) const {
  std::fill_n(flags, sizes_.vocabulary, uint8_t{0});
  for (int64_t i = 0; i < sizes_.length; ++i) {
    if (!is_word(sequence[i]) || flags[sequence[i]] != 0) continue;
    flags[sequence[i]] = 1;
    float& score = scores[sequence[i]];
    score = score < 0 ? score * penalty_ : score / penalty_;
  }
}

void ScoreRules::forbid_grams(const int32_t* sequence, float* scores) const {
  const int64_t before = params_.gram - 1;
  if (params_.gram > sizes_.length) return;
  const int32_t* last = sequence + sizes_.length - before;
  for (int64_t i = 0; i + params_.gram <= sizes_.length; ++i) {
    if (!std::equal(sequence + i, sequence + i + before, last)) continue;
    if (is_word(sequence[i + before])) scores[sequence[i + before]] = kLowest;
  }
}

void append_tokens(const RunContext& ctx, const StepSizes& sizes, const int64_t* from,
                   const int32_t* tokens) {
  using S = SearchStep;
  const auto* sequences = ctx.input(S::kSequences).as<int32_t>();
  const auto* seen = ctx.input(S::kSeen).as<int32_t>();
  const auto* lengths = ctx.input(S::kLengths).as<int32_t>();
  const auto step = static_cast<uint64_t>(*ctx.input(S::kStep).as<int64_t>());
  auto* grown = ctx.output(S::kSequencesNow).as_mutable<int32_t>();
  auto* mask = ctx.output(S::kSeenNow).as_mutable<int32_t>();
  for (int64_t row = 0; row < sizes.rows; ++row) {
    int32_t* sequence = grown + row * sizes.longest;
    std::copy_n(sequences + from[row] * sizes.longest, sizes.longest, sequence);
    sequence[sizes.length] = tokens[row];
    ctx.output(S::kRows).as_mutable<int32_t>()[row] = tokens[row];
    ctx.output(S::kPositions).as_mutable<int32_t>()[row] =
        static_cast<int32_t>(static_cast<uint64_t>(lengths[row]) + step);
    int32_t* places = mask + row * (sizes.length + 1);
    std::copy_n(seen + row * sizes.length, sizes.length, places);
    places[sizes.length] = 1;
  }
}

}  // namespace ortc::cpu
