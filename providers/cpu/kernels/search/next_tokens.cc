// SPDX-License-Identifier: MIT
// NextTokens: a step of GreedySearch and Sampling. A token follows each row: the likeliest, or one
// that is drawn of the likeliest. Rows that have ended go on with padding.
//
// Draws are those of std::minstd_rand0, whose state goes from step to step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/kernels/search/score_rules.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using S = NextTokens;

// Offsets in the scratch memory. Of the last three one row is used at a time.
struct Places {
  uint64_t scores, flags, tokens, rows, order, sums;
};
Places plan(const StepSizes& sizes, bool samples, ScratchPlan& scratch) {
  const auto all =
      checked_mul(static_cast<uint64_t>(sizes.rows), static_cast<uint64_t>(sizes.vocabulary));
  const int64_t count = all && *all <= INT64_MAX ? static_cast<int64_t>(*all) : -1;
  const int64_t drawn = samples ? sizes.vocabulary : 0;
  Places places{};
  places.scores = scratch.add<float>(count);
  places.flags = scratch.add<uint8_t>(count);
  places.tokens = scratch.add<int32_t>(sizes.rows);
  places.rows = scratch.add<int64_t>(sizes.rows);
  places.order = scratch.add<int64_t>(drawn);
  places.sums = scratch.add<double>(drawn);
  return places;
}

Status prepare_tokens(PrepareContext& ctx) {
  ctx.set_params(read_search_params(ctx.node()));
  return Status::ok();
}

Status bind_tokens(BindContext& ctx) {
  ASSIGN_OR_RETURN(const StepSizes sizes, bind_search_step(ctx, S::kInputCount, S::kOutputCount));
  const ValueRef &ended = ctx.input(S::kEnded), &engine = ctx.input(S::kEngine);
  RETURN_IF_ERROR(check_state(ctx, S::kEnded, S::kEngine));
  RETURN_IF_ERROR(check_type(ctx, S::kEnded, mask_of(DType::kBool)));
  RETURN_IF_ERROR(check_type(ctx, S::kEngine, mask_of(DType::kInt64)));
  RETURN_IF_ERROR(check_type(ctx, S::kPresenceMask, mask_of(DType::kInt32)));
  if (ended.rank != 1 || ended.dim(0) != sizes.rows || !is_one_number(engine)) {
    return invalid_argument("the state of ", sizes.rows, " rows has shapes ",
                            dims_to_string(ended.dims()), " and ", dims_to_string(engine.dims()));
  }
  for (const size_t i : {size_t{SearchStep::kPrefixMask}, size_t{S::kPresenceMask}}) {
    const ValueRef& mask = ctx.input(i);
    if (!ctx.has_input(i)) continue;
    if (mask.rank != 2 || mask.dim(0) != sizes.rows || mask.dim(1) != sizes.vocabulary) {
      return invalid_argument("a mask has shape ", dims_to_string(mask.dims()), ", expected [",
                              sizes.rows, ",", sizes.vocabulary, "]");
    }
  }
  RETURN_IF_ERROR(ctx.set_output(S::kEndedNow, DType::kBool, {sizes.rows}));
  RETURN_IF_ERROR(ctx.set_output(S::kEngineNow, DType::kInt64, {}));
  ScratchPlan scratch;
  plan(sizes, ctx.params<SearchParams>()->samples != 0, scratch);
  return scratch.declare(ctx);
}

// --- Drawing.

class Engine {
 public:
  explicit Engine(int64_t state) : state_(state) {}
  static Engine of_seed(int64_t seed) { return Engine(seed % kModulus != 0 ? seed % kModulus : 1); }
  int64_t state() const { return state_; }

  // In [0, 1), as std::uniform_real_distribution<double> makes it of two numbers.
  double draw() {
    double sum = 0, unit = 1;
    for (int i = 0; i < 2; ++i) {
      state_ = state_ * 16807 % kModulus;
      sum += static_cast<double>(state_ - 1) * unit;
      unit *= static_cast<double>(kModulus - 1);
    }
    return std::min(sum / unit, std::nextafter(1.0, 0.0));
  }

 private:
  static constexpr int64_t kModulus = 2147483647;
  int64_t state_;
};

// Tokens in the order of their scores, equal ones in their own.
void sort_tokens(const float* scores, int64_t count, bool down, int64_t* order) {
  for (int64_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order, order + count, [&](int64_t a, int64_t b) {
    if (scores[a] == scores[b]) return a < b;
    return down ? scores[a] > scores[b] : scores[a] < scores[b];
  });
}

// Filters the tokens that are not among the likeliest, whose probabilities sum up to top_p: from
// the least likely on while their sum is small, or `down` what follows a sum that is enough.
void keep_nucleus(const SearchParams& params, int64_t count, float* scores, int64_t* order,
                  double* sums) {
  const bool down = params.sorts_down != 0;
  sort_tokens(scores, count, down, order);
  const double top = scores[order[down ? 0 : count - 1]];
  double total = 0;
  for (int64_t i = 0; i < count; ++i) total += std::exp(double{scores[order[i]]} - top);
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<float>(std::exp(double{scores[order[i]]} - top) / total);
    sums[i] = double{sum};
  }
  const int64_t kept = std::min(params.kept_tokens, count);
  const int64_t last = down ? count - 1 : std::max<int64_t>(1, count - kept);
  for (int64_t i = 0; i < last; ++i) {
    if (down && sums[i] > double{params.top_p}) scores[order[i + 1]] = params.filter_value;
    if (!down && sums[i] <= double{1 - params.top_p}) scores[order[i]] = params.filter_value;
  }
}

int64_t drawn_token(const float* scores, int64_t count, Engine& engine, double* sums) {
  float top = std::numeric_limits<float>::lowest();
  for (int64_t i = 0; i < count; ++i) {
    if (std::isfinite(scores[i])) top = std::max(top, scores[i]);
  }
  double total = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (std::isfinite(scores[i])) total += std::exp(double{scores[i]} - double{top});
    sums[i] = total;
  }
  const double wanted = engine.draw() * total;
  return std::min(std::upper_bound(sums, sums + count, wanted) - sums, count - 1);
}

// --- Run.

void compute_scores(const RunContext& ctx, const StepSizes& sizes, const Places& places) {
  const bool has_presence = ctx.has_input(S::kPresenceMask);
  const ScoreRules rules(ctx, sizes, has_presence ? &ctx.input(S::kPresenceMask) : nullptr,
                         ctx.params<SearchParams>().temperature,
                         scratch_at<uint8_t>(ctx, places.flags));
  auto* scores = scratch_at<float>(ctx, places.scores);
  ctx.parallel_for(sizes.rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* own = scores + row * sizes.vocabulary;
      std::copy_n(rules.logits(row), sizes.vocabulary, own);
      rules.apply(row, row, own);
    }
  });
}

// At the first step the state of the engine is the seed.
Result<Engine> engine_of(const RunContext& ctx) {
  const int64_t state = *ctx.input(S::kEngine).as<int64_t>();
  if (state < 0 || state > INT32_MAX) return invalid_argument("seed is ", state, ", expected >= 0");
  const bool is_first = *ctx.input(SearchStep::kStep).as<int64_t>() == 0;
  return is_first ? Engine::of_seed(state) : Engine(state);
}

Status run_tokens(RunContext& ctx) {
  const auto& params = ctx.params<SearchParams>();
  const StepSizes sizes = step_sizes(ctx);
  RETURN_IF_ERROR(check_penalty(ctx));
  ScratchPlan scratch;
  const Places places = plan(sizes, params.samples != 0, scratch);
  compute_scores(ctx, sizes, places);
  ASSIGN_OR_RETURN(Engine engine, engine_of(ctx));
  auto* tokens = scratch_at<int32_t>(ctx, places.tokens);
  auto* from = scratch_at<int64_t>(ctx, places.rows);
  auto* ended = ctx.output(S::kEndedNow).as_mutable<bool>();
  bool all_ended = true;
  for (int64_t row = 0; row < sizes.rows; ++row) {
    float* scores = scratch_at<float>(ctx, places.scores) + row * sizes.vocabulary;
    int64_t token = 0;
    if (params.samples != 0) {
      auto* sums = scratch_at<double>(ctx, places.sums);
      keep_nucleus(params, sizes.vocabulary, scores, scratch_at<int64_t>(ctx, places.order), sums);
      token = drawn_token(scores, sizes.vocabulary, engine, sums);
    } else {
      token = std::max_element(scores, scores + sizes.vocabulary) - scores;
    }
    ended[row] = ctx.input(S::kEnded).as<bool>()[row] || token == params.end;
    all_ended = all_ended && ended[row];
    tokens[row] = static_cast<int32_t>(ended[row] ? params.padding : token);
    from[row] = row;
  }
  append_tokens(ctx, sizes, from, tokens);
  *ctx.output(SearchStep::kGoesOn).as_mutable<bool>() = !all_ended;
  *ctx.output(S::kEngineNow).as_mutable<int64_t>() = engine.state();
  return Status::ok();
}

}  // namespace

KernelTable next_tokens_kernels() {
  static constexpr KernelRow rows[] = {
      {"NextTokens", kInternalDomain, 1, kLatestOpset, mask_of(DType::kFloat32), "next_tokens", 1,
       kNoFlags, 0, prepare_tokens, bind_tokens, run_tokens},
  };
  return rows;
}

}  // namespace ortc::cpu
