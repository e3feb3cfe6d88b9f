// SPDX-License-Identifier: MIT
// NextBeams: a step of BeamSearch and WhisperBeamSearch.
//
// Of each batch entry the best tokens of all its beams are looked at, twice as many as there are
// beams. One that ends a beam makes a sequence that is found, when it is among the first half; the
// first others are the beams to follow. The found sequences of an entry lie in order, the best
// first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/kernels/search/found_sequences.h"
#include "providers/cpu/kernels/search/score_rules.h"
#include "providers/cpu/kernels/search/timestamp_rules.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

Status prepare_beams(PrepareContext& ctx) {
  ctx.set_params(read_search_params(ctx.node()));
  return Status::ok();
}

using N = NextBeams;

struct Candidate {
  float score;
  int32_t beam;
  int64_t token;
};

struct Places {
  uint64_t scores, flags, best, tokens, from;
};
Places plan(const StepSizes& sizes, ScratchPlan& scratch) {
  const auto all =
      checked_mul(static_cast<uint64_t>(sizes.rows), static_cast<uint64_t>(sizes.vocabulary));
  const int64_t count = all && *all <= INT64_MAX ? static_cast<int64_t>(*all) : -1;
  Places places{};
  places.scores = scratch.add<float>(count);
  places.flags = scratch.add<uint8_t>(count);
  places.best = scratch.add<Candidate>(sizes.rows <= INT64_MAX / 2 ? 2 * sizes.rows : -1);
  places.tokens = scratch.add<int32_t>(sizes.rows);
  places.from = scratch.add<int64_t>(sizes.rows);
  return places;
}

// The inputs that only WhisperBeamSearch has.
Status check_speech(const BindContext& ctx) {
  RETURN_IF_ERROR(check_type(ctx, N::kTemperature, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, N::kProcessor, mask_of(DType::kInt32)));
  RETURN_IF_ERROR(check_type(ctx, N::kTimestamps, mask_of(DType::kInt64)));
  for (const size_t i : {N::kTemperature, N::kProcessor}) {
    if (ctx.has_input(i) && !is_one_number(ctx.input(i))) {
      return invalid_argument("temperature or logits_processor has shape ",
                              dims_to_string(ctx.input(i).dims()), ", expected one number");
    }
  }
  if (!ctx.has_input(N::kProcessor)) return Status::ok();
  const bool has_tokens = ctx.has_input(N::kTimestamps) && ctx.input(N::kTimestamps).rank == 1 &&
                          ctx.input(N::kTimestamps).dim(0) == TimestampTokens::kCount;
  return has_tokens ? Status::ok()
                    : invalid_graph("tokens of the rules for timestamps are missing");
}

Status bind_beams(BindContext& ctx) {
  ASSIGN_OR_RETURN(const StepSizes sizes, bind_search_step(ctx, N::kInputCount, N::kPastRows + 1));
  RETURN_IF_ERROR(check_state(ctx, N::kEnded, N::kFoundLengths));
  RETURN_IF_ERROR(check_found(ctx, N::kEnded, sizes.rows, sizes.longest));
  RETURN_IF_ERROR(check_length_penalty(ctx, N::kLengthPenalty));
  RETURN_IF_ERROR(check_speech(ctx));
  const ValueRef& found = ctx.input(N::kFound);
  const int64_t batch = found.dim(0), beams = found.dim(1);
  const ValueRef& mask = ctx.input(SearchStep::kPrefixMask);
  if (ctx.has_input(SearchStep::kPrefixMask) && mask.dim(0) != batch) {
    return invalid_argument("prefix_vocab_mask has shape ", dims_to_string(mask.dims()),
                            ", expected ", batch, " rows");
  }
  RETURN_IF_ERROR(ctx.set_output(N::kEndedNow, DType::kBool, {batch}));
  RETURN_IF_ERROR(ctx.set_output(N::kTotalsNow, DType::kFloat32, {sizes.rows}));
  RETURN_IF_ERROR(ctx.set_output(N::kFoundNow, DType::kInt32, found.dims()));
  RETURN_IF_ERROR(ctx.set_output(N::kFoundScoresNow, DType::kFloat32, {batch, beams}));
  RETURN_IF_ERROR(ctx.set_output(N::kFoundLengthsNow, DType::kInt32, {batch, beams}));
  RETURN_IF_ERROR(ctx.set_output(N::kPastRows, DType::kInt64, {sizes.rows}));
  if (ctx.has_output(N::kScores)) {
    RETURN_IF_ERROR(ctx.set_output(N::kScores, DType::kFloat32, {batch, beams, sizes.vocabulary}));
  }
  ScratchPlan scratch;
  plan(sizes, scratch);
  return scratch.declare(ctx);
}

void log_softmax(const float* x, int64_t count, float* y) {
  const float top = *std::max_element(x, x + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += std::exp(double{x[i]} - double{top});
  const auto shift = static_cast<float>(std::log(sum));
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] - top - shift;
}

float temperature_of(const RunContext& ctx) {
  return ctx.has_input(N::kTemperature) ? *ctx.input(N::kTemperature).as<float>() : 1;
}

// Without rules for timestamps when `logits_processor` is not 1.
Result<std::optional<TimestampRules>> timestamp_rules(const RunContext& ctx,
                                                      const StepSizes& sizes) {
  const int32_t kind = ctx.has_input(N::kProcessor) ? *ctx.input(N::kProcessor).as<int32_t>() : 0;
  if (kind < 0) return invalid_argument("logits_processor is ", kind, ", expected >= 0");
  std::optional<TimestampRules> rules;
  if (kind != 1) return rules;
  rules.emplace(ctx.input(N::kTimestamps).as<int64_t>(), ctx.params<SearchParams>().end);
  RETURN_IF_ERROR(rules->check(sizes.vocabulary));
  return rules;
}

class BeamStep {
 public:
  explicit BeamStep(RunContext& ctx)
      : ctx_(ctx),
        params_(ctx.params<SearchParams>()),
        sizes_(step_sizes(ctx)),
        batch_(ctx.input(N::kFound).dim(0)),
        beams_(ctx.input(N::kFound).dim(1)),
        penalty_(length_penalty(ctx, N::kLengthPenalty)) {
    ScratchPlan scratch;
    const Places places = plan(sizes_, scratch);
    scores_ = scratch_at<float>(ctx, places.scores);
    flags_ = scratch_at<uint8_t>(ctx, places.flags);
    best_ = scratch_at<Candidate>(ctx, places.best);
    tokens_ = scratch_at<int32_t>(ctx, places.tokens);
    from_ = scratch_at<int64_t>(ctx, places.from);
  }

  Status run() {
    RETURN_IF_ERROR(check_penalty(ctx_));
    ASSIGN_OR_RETURN(const std::optional<TimestampRules> timestamps, timestamp_rules(ctx_, sizes_));
    compute_scores(timestamps);
    copy_state();
    bool all_ended = true;
    for (int64_t entry = 0; entry < batch_; ++entry) choose(entry);
    for (int64_t entry = 0; entry < batch_; ++entry) {
      if (ended_[entry]) {
        pad(entry);
      } else {
        RETURN_IF_ERROR(go_on(entry));
      }
      all_ended = all_ended && ended_[entry];
    }
    append_tokens(ctx_, sizes_, from_, tokens_);
    for (int64_t row = 0; row < sizes_.rows; ++row) {
      ctx_.output(N::kPastRows).as_mutable<int64_t>()[row] = beams_ == 1 ? row : from_[row];
    }
    *ctx_.output(SearchStep::kGoesOn).as_mutable<bool>() = !all_ended;
    return Status::ok();
  }

 private:
  void compute_scores(const std::optional<TimestampRules>& timestamps) {
    const ScoreRules rules(ctx_, sizes_, nullptr, temperature_of(ctx_), flags_);
    const auto* sequences = ctx_.input(SearchStep::kSequences).as<int32_t>();
    const auto* totals = ctx_.input(N::kTotals).as<float>();
    ctx_.parallel_for(sizes_.rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* own = scores_ + row * sizes_.vocabulary;
        log_softmax(rules.logits(row), sizes_.vocabulary, own);
        rules.apply(row, row / beams_, own);
        if (timestamps) {
          timestamps->apply({sequences + row * sizes_.longest, static_cast<size_t>(sizes_.length)},
                            {own, static_cast<size_t>(sizes_.vocabulary)});
        }
        for (int64_t i = 0; i < sizes_.vocabulary; ++i) own[i] += totals[row];
      }
    });
    if (!ctx_.has_output(N::kScores)) return;
    std::copy_n(scores_, sizes_.rows * sizes_.vocabulary,
                ctx_.output(N::kScores).as_mutable<float>());
  }

  void copy_state() {
    const int64_t tokens = sizes_.rows * sizes_.longest;
    std::copy_n(ctx_.input(N::kFound).as<int32_t>(), tokens,
                ctx_.output(N::kFoundNow).as_mutable<int32_t>());
    std::copy_n(ctx_.input(N::kFoundScores).as<float>(), sizes_.rows,
                ctx_.output(N::kFoundScoresNow).as_mutable<float>());
    std::copy_n(ctx_.input(N::kFoundLengths).as<int32_t>(), sizes_.rows,
                ctx_.output(N::kFoundLengthsNow).as_mutable<int32_t>());
    ended_ = ctx_.output(N::kEndedNow).as_mutable<bool>();
    std::copy_n(ctx_.input(N::kEnded).as<bool>(), batch_, ended_);
    totals_ = ctx_.output(N::kTotalsNow).as_mutable<float>();
  }

  FoundSequences found(int64_t entry) const {
    const int64_t first = entry * beams_;
    return {beams_, sizes_.longest,
            ctx_.output(N::kFoundNow).as_mutable<int32_t>() + first * sizes_.longest,
            ctx_.output(N::kFoundScoresNow).as_mutable<float>() + first,
            ctx_.output(N::kFoundLengthsNow).as_mutable<int32_t>() + first};
  }

  // The best tokens of all beams in order, of equal ones the first.
  void choose(int64_t entry) {
    Candidate* best = best_ + entry * 2 * beams_;
    int64_t count = 0;
    for (int64_t beam = 0; beam < beams_; ++beam) {
      const float* own = scores_ + (entry * beams_ + beam) * sizes_.vocabulary;
      for (int64_t token = 0; token < sizes_.vocabulary; ++token) {
        const bool is_full = count == 2 * beams_;
        if (is_full && !(own[token] > best[count - 1].score)) continue;
        int64_t at = is_full ? count - 1 : count++;
        for (; at > 0 && own[token] > best[at - 1].score; --at) best[at] = best[at - 1];
        best[at] = {own[token], static_cast<int32_t>(beam), token};
      }
    }
    std::fill(best + count, best + 2 * beams_,
              Candidate{std::numeric_limits<float>::lowest(), -1, 0});
  }

  // All of an entry that has ended go on with padding behind the first row of all.
  void pad(int64_t entry) {
    for (int64_t row = entry * beams_; row < (entry + 1) * beams_; ++row) {
      totals_[row] = 0;
      tokens_[row] = static_cast<int32_t>(params_.padding);
      from_[row] = 0;
    }
  }

  Status go_on(int64_t entry) {
    const auto* sequences = ctx_.input(SearchStep::kSequences).as<int32_t>();
    const int64_t first = entry * beams_;
    FoundSequences own = found(entry);
    int64_t count = 0;
    for (int64_t rank = 0; rank < 2 * beams_ && count < beams_; ++rank) {
      const Candidate& next = best_[2 * first + rank];
      if (next.beam < 0) break;
      const int64_t row = first + next.beam;
      const bool ends = params_.end >= 0 && next.token == params_.end;
      if (ends && rank < beams_) {
        own.offer(sequences + row * sizes_.longest, sizes_.length,
                  length_score(next.score, sizes_.length, penalty_));
      } else if (!ends) {
        totals_[first + count] = next.score;
        tokens_[first + count] = static_cast<int32_t>(next.token);
        from_[first + count] = row;
        ++count;
      }
    }
    if (count < beams_) {
      return invalid_argument("a vocabulary of ", sizes_.vocabulary, " tokens is too small for ",
                              beams_, " beams");
    }
    ended_[entry] = own.is_full() && (params_.stops_early != 0 || !improves(entry, own));
    return Status::ok();
  }

  // Whether what follows can be better than what is found. The score that decides is looked up
  // where ONNX Runtime does it: in the list of all entries at `entry * beams`, not twice that.
  bool improves(int64_t entry, const FoundSequences& own) const {
    const Candidate* list = best_ + entry * beams_;
    const auto lower = [](const Candidate& a, const Candidate& b) { return a.score < b.score; };
    const float top = std::max_element(list, list + 2 * beams_, lower)->score;
    return own.worst() < length_score(top, sizes_.length, penalty_);
  }

  RunContext& ctx_;
  const SearchParams& params_;
  const StepSizes sizes_;
  const int64_t batch_, beams_;
  const float penalty_;
  float* scores_;
  uint8_t* flags_;
  Candidate* best_;
  int32_t* tokens_;
  int64_t* from_;
  bool* ended_ = nullptr;
  float* totals_ = nullptr;
};

Status run_beams(RunContext& ctx) { return BeamStep(ctx).run(); }

}  // namespace

KernelTable next_beams_kernels() {
  static constexpr KernelRow rows[] = {
      {"NextBeams", kInternalDomain, 1, kLatestOpset, mask_of(DType::kFloat32), "next_beams", 1,
       kNoFlags, 0, prepare_beams, bind_beams, run_beams},
  };
  return rows;
}

}  // namespace ortc::cpu
