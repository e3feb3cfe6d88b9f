// SPDX-License-Identifier: MIT
// What decoders ask of lists of tokens (com.microsoft): NGramRepeatBlock forbids the tokens that
// would repeat an n-gram, BifurcationDetector takes over predicted tokens as far as they agree with
// the source and looks for the place where the source goes on.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kTokens = mask_of(DType::kInt64);

struct GramParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t smallest, largest;
};
static_assert(sizeof(GramParams) == 24);

// --- Prepare.

Status prepare_repeat_block(PrepareContext& ctx) {
  const int64_t size = ctx.node().int_attribute("ngram_size", 0);
  if (size < 1) return invalid_graph("attribute 'ngram_size' is ", size, ", expected 1 or more");
  ctx.set_params(GramParams{sizeof(GramParams), 0, size, size});
  return Status::ok();
}

Status prepare_bifurcation(PrepareContext& ctx) {
  const int64_t low = ctx.node().int_attribute("min_ngram_size", 1);
  const int64_t high = ctx.node().int_attribute("max_ngram_size", 3);
  if (low < 1 || high < low) return invalid_graph("n-grams have ", low, " to ", high, " tokens");
  ctx.set_params(GramParams{sizeof(GramParams), 0, low, high});
  return Status::ok();
}

// --- Bind.

Status bind_repeat_block(BindContext& ctx) {
  const auto* params = ctx.params<GramParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->smallest < 1) return damaged_params("n-grams are of ", params->smallest, " tokens");
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kTokens));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kFloat32)));
  const ValueRef &ids = ctx.input(0), &scores = ctx.input(1);
  if (ids.rank != 2 || scores.rank != 2 || ids.dim(0) != scores.dim(0)) {
    return invalid_argument("tokens ", dims_to_string(ids.dims()), " and scores ",
                            dims_to_string(scores.dims()), " do not fit each other");
  }
  return ctx.set_output(0, scores.dtype, scores.dims());
}

Status bind_bifurcation(BindContext& ctx) {
  const auto* params = ctx.params<GramParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->smallest < 1) return damaged_params("n-grams are of ", params->smallest, " tokens");
  RETURN_IF_ERROR(check_arity(ctx, 3, 4, 2));
  for (size_t i = 0; i < 4; ++i) {
    RETURN_IF_ERROR(check_type(ctx, i, kTokens));
    if (i != 2 && ctx.has_input(i) && ctx.input(i).rank != 1) {
      return invalid_argument("input ", i, " has rank ", ctx.input(i).rank, ", expected 1");
    }
  }
  return Status::ok();
}

// --- Run.

Status run_repeat_block(RunContext& ctx) {
  const int64_t size = ctx.params<GramParams>().smallest;
  const ValueRef &ids = ctx.input(0), &scores = ctx.input(1);
  const int64_t length = ids.dim(1), words = scores.dim(1);
  auto* y = ctx.output(0).as_mutable<float>();
  std::copy_n(scores.as<float>(), scores.element_count(), y);
  if (size > length) return Status::ok();
  for (int64_t b = 0; b < ids.dim(0); ++b) {
    const int64_t* tokens = ids.as<int64_t>() + b * length;
    const int64_t* last = tokens + length - (size - 1);  // what the next token would end
    for (int64_t at = 0; at + size <= length; ++at) {
      if (!std::equal(tokens + at, tokens + at + size - 1, last)) continue;
      const int64_t word = tokens[at + size - 1];
      if (word < 0 || word >= words) return index_out_of_range(word, words);
      y[b * words + word] = -std::numeric_limits<float>::infinity();
    }
  }
  return Status::ok();
}

using Tokens = std::vector<int64_t>;

Tokens tokens_of(const ValueRef& x) {
  return Tokens(x.as<int64_t>(), x.as<int64_t>() + x.element_count());
}

// Where the source goes on after the last tokens, if that is certain for the largest n-gram that
// is found; else -1.
int64_t place_after(const Tokens& source, const Tokens& tokens, const GramParams& params) {
  int64_t place = -1;
  for (int64_t n = params.smallest; n <= params.largest; ++n) {
    if (n > static_cast<int64_t>(tokens.size())) break;
    const auto gram = tokens.end() - n;
    const auto found = std::search(source.begin(), source.end(), gram, tokens.end());
    if (found == source.end()) break;
    place = found - source.begin() + n;
    if (place >= static_cast<int64_t>(source.size())) break;
    const bool is_unique = std::search(found + 1, source.end(), gram, tokens.end()) == source.end();
    if (!is_unique) place = -1;
  }
  return place;
}

Status run_bifurcation(RunContext& ctx) {
  const Tokens source = tokens_of(ctx.input(0));
  Tokens tokens = tokens_of(ctx.input(1));
  if (ctx.has_input(3)) {
    const Tokens predicted = tokens_of(ctx.input(3));
    const int64_t from = ctx.input(2).element_count() == 1 ? ctx.input(2).as<int64_t>()[0] : -1;
    const auto length = static_cast<int64_t>(source.size());
    if (from < 0 || from > length || static_cast<int64_t>(predicted.size()) != length + 1 - from) {
      return invalid_argument(predicted.size(), " predicted tokens from place ", from,
                              " do not fit ", length, " source tokens");
    }
    const auto agree = std::mismatch(source.begin() + from, source.end(), predicted.begin());
    tokens.insert(tokens.end(), predicted.begin(), agree.second + 1);
  }
  const auto count = static_cast<int64_t>(tokens.size());
  RETURN_IF_ERROR(ctx.allocate_output(0, DType::kInt64, std::array<int64_t, 1>{count}));
  std::copy(tokens.begin(), tokens.end(), ctx.output(0).as_mutable<int64_t>());
  RETURN_IF_ERROR(ctx.allocate_output(1, DType::kInt64, ctx.input(2).dims()));
  std::fill_n(ctx.output(1).as_mutable<int64_t>(), ctx.output(1).element_count(),
              place_after(source, tokens, ctx.params<GramParams>()));
  return Status::ok();
}

}  // namespace

KernelTable token_blocks_kernels() {
  static constexpr KernelRow rows[] = {
      {"NGramRepeatBlock", kMicrosoftDomain, 1, kLatestOpset, kTokens, "ngram_repeat_block", 1,
       kNoFlags, 0, prepare_repeat_block, bind_repeat_block, run_repeat_block},
      {"BifurcationDetector", kMicrosoftDomain, 1, kLatestOpset, kTokens, "bifurcation_detector", 1,
       kDataDependent, 0, prepare_bifurcation, bind_bifurcation, run_bifurcation},
  };
  return rows;
}

}  // namespace ortc::cpu
