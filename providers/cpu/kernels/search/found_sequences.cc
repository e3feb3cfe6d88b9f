// SPDX-License-Identifier: MIT
// The ended sequences that a beam search has found: see the header.
#include "providers/cpu/kernels/search/found_sequences.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked_math.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/kernels/search/score_rules.h"

namespace ortc::cpu {

void FoundSequences::offer(const int32_t* sequence, int64_t length, float score) {
  if (is_full() && !(score > worst())) return;
  int64_t at = beams - 1;
  for (; at > 0 && (lengths[at - 1] == 0 || score > scores[at - 1]); --at) {
    std::copy_n(tokens + (at - 1) * longest, longest, tokens + at * longest);
    scores[at] = scores[at - 1];
    lengths[at] = lengths[at - 1];
  }
  std::copy_n(sequence, length, tokens + at * longest);
  scores[at] = score;
  lengths[at] = static_cast<int32_t>(length);
}

float length_score(float total, int64_t length, float penalty) {
  return total / std::pow(static_cast<float>(length), penalty);
}

float length_penalty(const RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? *ctx.input(i).as<float>() : 1;
}

Status check_length_penalty(const BindContext& ctx, size_t i) {
  RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  if (!ctx.has_input(i) || is_one_number(ctx.input(i))) return Status::ok();
  return invalid_argument("length_penalty has shape ", dims_to_string(ctx.input(i).dims()),
                          ", expected one number");
}

Status check_found(const BindContext& ctx, size_t first, int64_t rows, int64_t longest) {
  const ValueRef &ended = ctx.input(first), &totals = ctx.input(first + 1),
                 &tokens = ctx.input(first + 2), &scores = ctx.input(first + 3),
                 &lengths = ctx.input(first + 4);
  RETURN_IF_ERROR(check_type(ctx, first, mask_of(DType::kBool)));
  RETURN_IF_ERROR(check_type(ctx, first + 1, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, first + 2, mask_of(DType::kInt32)));
  RETURN_IF_ERROR(check_type(ctx, first + 3, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, first + 4, mask_of(DType::kInt32)));
  bool fits = ended.rank == 1 && totals.rank == 1 && tokens.rank == 3 && scores.rank == 2 &&
              lengths.rank == 2;
  fits = fits && ended.dim(0) == tokens.dim(0) && totals.dim(0) == rows && tokens.dim(1) >= 1 &&
         tokens.dim(2) == longest;
  for (size_t axis = 0; fits && axis < 2; ++axis) {
    fits = tokens.dim(axis) == scores.dim(axis) && tokens.dim(axis) == lengths.dim(axis);
  }
  if (fits) {
    const auto beams =
        checked_mul(static_cast<uint64_t>(tokens.dim(0)), static_cast<uint64_t>(tokens.dim(1)));
    fits = beams.has_value() && *beams == static_cast<uint64_t>(rows);
  }
  if (fits) return Status::ok();
  return invalid_argument("found sequences ", dims_to_string(tokens.dims()), " of ",
                          dims_to_string(ended.dims()), " entries do not fit ", rows, " beams of ",
                          longest, " tokens");
}

}  // namespace ortc::cpu
