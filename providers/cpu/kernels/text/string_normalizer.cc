// SPDX-License-Identifier: MIT
// StringNormalizer: takes stop words out of a row of texts and changes the case of the rest. When
// nothing is left, one empty text stands there. The locale plays no part: case is Unicode's.
#include <algorithm>
#include <string>
#include <vector>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"
#include "providers/cpu/text/unicode_case.h"

namespace ortc::cpu {
namespace {

enum Change : uint32_t { kNone = 0, kLower = 1, kUpper = 2 };

// --- Prepare.

// Behind it stand the stop words, each ending in zero.
struct NormalizerParams {
  uint32_t record_bytes;
  uint32_t change;
  uint32_t is_case_sensitive;
  uint32_t stop_bytes;
};
static_assert(sizeof(NormalizerParams) == 16);

Status prepare_normalizer(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t change,
                   one_of(ctx.node(), "case_change_action", "NONE", {"NONE", "LOWER", "UPPER"}));
  const bool is_sensitive = ctx.node().int_attribute("is_case_sensitive", 0) != 0;
  std::string words;
  if (const Attribute* list = ctx.node().attribute("stopwords")) {
    for (const auto& word : list->strings) {
      const std::string text(word.text());
      if (text.find('\0') != std::string::npos) return invalid_graph("a stop word holds a zero");
      words += is_sensitive ? text : to_lower(text);
      words += '\0';
    }
  }
  if (words.size() > UINT32_MAX) return invalid_graph("the stop words are too long");
  const NormalizerParams params{sizeof params, change, is_sensitive ? 1u : 0u,
                                static_cast<uint32_t>(words.size())};
  const std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  ctx.set_params_bytes(as_bytes(record + words));
  return Status::ok();
}

// --- Bind.

Status bind_normalizer(BindContext& ctx) {
  const auto* params = ctx.params<NormalizerParams>();
  if (params == nullptr || ctx.params_bytes().size() - sizeof *params < params->stop_bytes) {
    return ctx.bad_params();
  }
  if (params->change > kUpper) {
    return invalid_graph("its params record names change ", params->change);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kStrings));
  const auto dims = ctx.input(0).dims();
  const bool is_row = dims.size() == 1 || (dims.size() == 2 && dims[0] == 1);
  if (is_row) return Status::ok();
  return invalid_argument("input has shape ", dims_to_string(dims), ", expected [C] or [1,C]");
}

// --- Run.

std::vector<std::string_view> stop_words(const RunContext& ctx) {
  const auto& params = ctx.params<NormalizerParams>();
  std::string_view rest = as_text(ctx.params_bytes().subspan(sizeof params, params.stop_bytes));
  std::vector<std::string_view> words;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::sort(words.begin(), words.end());
  return words;
}

Status run_normalizer(RunContext& ctx) {
  const auto& params = ctx.params<NormalizerParams>();
  const auto words = stop_words(ctx);
  const ValueRef& x = ctx.input(0);
  std::vector<std::string> kept;
  for (int64_t i = 0; i < x.element_count(); ++i) {
    const std::string& text = x.as<std::string>()[i];
    const std::string compared = params.is_case_sensitive != 0 ? text : to_lower(text);
    if (std::binary_search(words.begin(), words.end(), std::string_view(compared))) continue;
    kept.push_back(params.change == kLower   ? to_lower(text)
                   : params.change == kUpper ? to_upper(text)
                                             : text);
  }
  if (kept.empty()) kept.emplace_back();
  const auto count = static_cast<int64_t>(kept.size());
  Dims dims = x.rank == 1 ? Dims{count} : Dims{1, count};
  return ctx.give_output(0, Tensor::strings(std::move(dims), std::move(kept)));
}

}  // namespace

KernelTable string_normalizer_kernels() {
  static constexpr KernelRow rows[] = {
      {"StringNormalizer", "", 10, kLatestOpset, kStrings, "string_normalizer", 1, kDataDependent,
       0, prepare_normalizer, bind_normalizer, run_normalizer},
  };
  return rows;
}

}  // namespace ortc::cpu
