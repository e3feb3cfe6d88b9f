// SPDX-License-Identifier: MIT
// BestBeams: what a beam search gives in the end. Beams that go on still count as found; the best
// sequences of each batch entry are filled up with padding.
#include <algorithm>
#include <array>
#include <limits>

#include "core/base/checked_math.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/kernels/search/found_sequences.h"
#include "providers/cpu/kernels/search/score_rules.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using B = BestBeams;

struct BestParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t padding;
};
static_assert(sizeof(BestParams) == 16);

Status prepare_best(PrepareContext& ctx) {
  ctx.set_params(BestParams{sizeof(BestParams), 0, ctx.node().int_attribute("pad_token_id", -1)});
  return Status::ok();
}

// Scores [steps, batch, beams, vocabulary]; of no steps only their rank is known.
Status check_history(const BindContext& ctx) {
  RETURN_IF_ERROR(check_type(ctx, B::kHistory, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, B::kFirstScores, mask_of(DType::kFloat32)));
  if (!ctx.has_input(B::kHistory)) return Status::ok();
  const ValueRef &history = ctx.input(B::kHistory), &found = ctx.input(B::kFound);
  const ValueRef& first = ctx.input(B::kFirstScores);
  const bool has_first = ctx.has_input(B::kFirstScores);
  const auto fits = [&found](std::span<const int64_t> dims) {
    return dims[0] == found.dim(0) && dims[1] == found.dim(1);
  };
  bool is_sound = history.rank == 4 && (!has_first || first.rank == 3);
  is_sound = is_sound && history.dim(0) + (has_first ? 1 : 0) < ctx.input(B::kSeen).dim(1);
  if (is_sound && has_first) is_sound = fits(first.dims());
  if (is_sound && (history.dim(0) > 0 || !has_first)) {
    is_sound = fits(history.dims().subspan(1)) && (!has_first || first.dim(2) == history.dim(3));
  }
  if (is_sound) return Status::ok();
  return invalid_argument("scores ", dims_to_string(history.dims()), " do not fit sequences ",
                          dims_to_string(found.dims()));
}

Status bind_best(BindContext& ctx) {
  if (ctx.params<BestParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, B::kReturned, B::kInputCount, B::kBestScores + 1));
  for (const size_t i : {B::kSequences, B::kSeen, B::kReturned}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt32)));
  }
  const ValueRef &sequences = ctx.input(B::kSequences), &seen = ctx.input(B::kSeen);
  if (sequences.rank != 2 || seen.rank != 2 || sequences.dim(0) != seen.dim(0) || seen.dim(1) < 1 ||
      seen.dim(1) > sequences.dim(1)) {
    return invalid_argument("sequences ", dims_to_string(sequences.dims()), " and their mask ",
                            dims_to_string(seen.dims()), " do not fit each other");
  }
  RETURN_IF_ERROR(check_found(ctx, B::kEnded, sequences.dim(0), sequences.dim(1)));
  RETURN_IF_ERROR(check_length_penalty(ctx, B::kLengthPenalty));
  if (ctx.has_input(B::kReturned) && !is_one_number(ctx.input(B::kReturned))) {
    return invalid_argument("num_return_sequences has shape ",
                            dims_to_string(ctx.input(B::kReturned).dims()),
                            ", expected one number");
  }
  return check_history(ctx);
}

// The three tensors of what is found, to be changed.
struct Copies {
  std::vector<int32_t> tokens;
  std::vector<float> scores;
  std::vector<int32_t> lengths;
};
template <typename T>
std::vector<T> copy_of(const ValueRef& x) {
  return std::vector<T>(x.as<T>(), x.as<T>() + x.element_count());
}

// Zeros for the steps that did not run.
Status give_history(RunContext& ctx) {
  if (!ctx.has_input(B::kHistory)) return Status::ok();
  const bool has_first = ctx.has_input(B::kFirstScores);
  const ValueRef &history = ctx.input(B::kHistory), &found = ctx.input(B::kFound);
  const int64_t steps = history.dim(0) + (has_first ? 1 : 0);
  const int64_t start = ctx.input(B::kSeen).dim(1) - steps;
  const int64_t words = has_first ? ctx.input(B::kFirstScores).dim(2) : history.dim(3);
  const std::array<int64_t, 4> dims = {ctx.input(B::kSequences).dim(1) - start, found.dim(0),
                                       found.dim(1), words};
  RETURN_IF_ERROR(ctx.allocate_output(B::kAllScores, DType::kFloat32, dims));
  auto* to = ctx.output(B::kAllScores).as_mutable<float>();
  std::fill_n(to, ctx.output(B::kAllScores).element_count(), 0.0f);
  if (has_first) {
    const ValueRef& first = ctx.input(B::kFirstScores);
    to = std::copy_n(first.as<float>(), first.element_count(), to);
  }
  std::copy_n(history.as<float>(), history.element_count(), to);
  return Status::ok();
}

Status run_best(RunContext& ctx) {
  const ValueRef &sequences = ctx.input(B::kSequences), &found = ctx.input(B::kFound);
  const int64_t batch = found.dim(0), beams = found.dim(1), longest = found.dim(2);
  const int64_t length = ctx.input(B::kSeen).dim(1);
  const int64_t returned = ctx.has_input(B::kReturned) ? *ctx.input(B::kReturned).as<int32_t>() : 1;
  if (returned < 1 || returned > beams) {
    return invalid_argument("num_return_sequences is ", returned, ", expected 1 to ", beams,
                            ", the number of beams");
  }
  Copies own{copy_of<int32_t>(found), copy_of<float>(ctx.input(B::kFoundScores)),
             copy_of<int32_t>(ctx.input(B::kFoundLengths))};
  const std::array<int64_t, 3> dims = {batch, returned, longest};
  RETURN_IF_ERROR(ctx.allocate_output(B::kBest, DType::kInt32, dims));
  RETURN_IF_ERROR(ctx.allocate_output(B::kBestScores, DType::kFloat32, std::span(dims).first<2>()));
  auto* best = ctx.output(B::kBest).as_mutable<int32_t>();
  auto* scores = ctx.output(B::kBestScores).as_mutable<float>();
  std::fill_n(best, ctx.output(B::kBest).element_count(),
              static_cast<int32_t>(ctx.params<BestParams>().padding));
  const float penalty = length_penalty(ctx, B::kLengthPenalty);
  for (int64_t entry = 0; entry < batch; ++entry) {
    const int64_t first = entry * beams;
    FoundSequences list{beams, longest, own.tokens.data() + first * longest,
                        own.scores.data() + first, own.lengths.data() + first};
    const bool has_ended = ctx.input(B::kEnded).as<bool>()[entry];
    for (int64_t row = first; row < first + beams && !has_ended; ++row) {
      const float total = ctx.input(B::kTotals).as<float>()[row];
      list.offer(sequences.as<int32_t>() + row * longest, length,
                 length_score(total, length, penalty));
    }
    for (int64_t i = 0; i < returned; ++i) {
      const int64_t count = std::clamp<int64_t>(list.lengths[i], 0, longest);
      const int64_t to = entry * returned + i;
      std::copy_n(list.tokens + i * longest, count, best + to * longest);
      scores[to] = list.scores[i];
    }
  }
  return give_history(ctx);
}

}  // namespace

KernelTable best_beams_kernels() {
  static constexpr KernelRow rows[] = {
      {"BestBeams", kInternalDomain, 1, kLatestOpset, mask_of(DType::kInt32), "best_beams", 1,
       kDataDependent, 0, prepare_best, bind_best, run_best},
  };
  return rows;
}

}  // namespace ortc::cpu
