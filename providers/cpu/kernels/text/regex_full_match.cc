// SPDX-License-Identifier: MIT
// RegexFullMatch: whether each text, from its beginning to its end, is what a pattern describes.
#include <string>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/pattern.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

// Behind it stands the pattern.
struct RegexParams {
  uint32_t record_bytes;
  uint32_t pattern_bytes;
};
static_assert(sizeof(RegexParams) == 8);

Status prepare_regex(PrepareContext& ctx) {
  const std::string pattern(ctx.node().string_attribute("pattern", ""));
  if (pattern.size() > UINT16_MAX) {
    return not_implemented("a pattern of ", pattern.size(), " bytes");
  }
  RETURN_IF_ERROR(check_pattern(pattern, MatchOf::kFirst));
  const RegexParams params{sizeof params, static_cast<uint32_t>(pattern.size())};
  const std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  ctx.set_params_bytes(as_bytes(record + pattern));
  return Status::ok();
}

// --- Bind.

Status bind_regex(BindContext& ctx) {
  const auto* params = ctx.params<RegexParams>();
  if (params == nullptr || ctx.params_bytes().size() - sizeof *params < params->pattern_bytes) {
    return ctx.bad_params();
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kStrings));
  return ctx.set_output(0, DType::kBool, ctx.input(0).dims());
}

// --- Run.

Status run_regex(RunContext& ctx) {
  constexpr int64_t kGrain = 64;
  const auto& params = ctx.params<RegexParams>();
  ASSIGN_OR_RETURN(
      const auto pattern,
      Pattern::get(as_text(ctx.params_bytes().subspan(sizeof params, params.pattern_bytes)),
                   MatchOf::kFirst));
  const ValueRef& x = ctx.input(0);
  const auto* texts = x.as<std::string>();
  auto* matches = ctx.output(0).as_mutable<uint8_t>();
  ctx.parallel_for(x.element_count(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) matches[i] = pattern->matches_all(texts[i]) ? 1 : 0;
  });
  return Status::ok();
}

}  // namespace

KernelTable regex_full_match_kernels() {
  static constexpr KernelRow rows[] = {
      {"RegexFullMatch", "", 20, kLatestOpset, kStrings, "regex_full_match", 1, kNoFlags, 0,
       prepare_regex, bind_regex, run_regex},
  };
  return rows;
}

}  // namespace ortc::cpu
