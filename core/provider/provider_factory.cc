// SPDX-License-Identifier: MIT
// Names of providers, and what one says that has no opinion of its own: see the header.
#include "core/provider/provider_factory.h"

#include <algorithm>
#include <charconv>

#include "core/base/ascii.h"

namespace ortc {
namespace {

Result<size_t> count_models(const KeyValues& candidate) {
  const auto entry = candidate.find("num_models");
  if (entry == candidate.end()) return invalid_argument("a candidate has no 'num_models'");
  const std::string& text = entry->second;
  size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count > 0) return count;
  return invalid_argument("'num_models' of a candidate is '", text, "', expected 1 or more");
}

// Recompiling is better than nothing; who does not know what it was compiled for cannot run it.
int rank_of(Compatibility verdict) {
  return verdict == Compatibility::kOptimal ? 2 : verdict == Compatibility::kPreferRecompilation;
}

// That of its worst model.
Result<int> rank_of(const ProviderFactory& factory, const std::shared_ptr<const EpDevice>& device,
                    const KeyValues& candidate) {
  ASSIGN_OR_RETURN(const size_t count, count_models(candidate));
  int worst = rank_of(Compatibility::kOptimal);
  for (size_t i = 0; i < count; ++i) {
    const std::string key = str_cat(i, ".ep_compatibility_info");
    const auto info = candidate.find(key);
    if (info == candidate.end()) return invalid_argument("a candidate has no '", key, "'");
    std::string reason;
    ASSIGN_OR_RETURN(const Compatibility verdict,
                     factory.judge_for({&device, 1}, info->second, &reason));
    worst = std::min(worst, rank_of(verdict));
  }
  return worst;
}

}  // namespace

bool answers_to(const ProviderFactory& factory, std::string_view name) {
  if (equals_ignoring_case(name, factory.name())) return true;
  const auto aliases = factory.aliases();
  return std::any_of(aliases.begin(), aliases.end(),
                     [&](std::string_view alias) { return equals_ignoring_case(name, alias); });
}

bool ProviderFactory::makes_source(std::string_view source) const {
  return answers_to(*this, source);
}

Result<Incompatibility> ProviderFactory::incompatibility(
    const std::shared_ptr<const HardwareDevice>& hardware) const {
  for (const DeviceOffer& offer : devices({&hardware, 1})) {
    if (offer.hardware == hardware) return Incompatibility();
  }
  return Incompatibility{Incompatibility::kDevice, 0, str_cat(name(), " serves no such hardware")};
}

Result<std::optional<size_t>> ProviderFactory::choose_candidate(
    const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
    const SessionOptions*) const {
  std::optional<size_t> best;
  int best_rank = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    ASSIGN_OR_RETURN(const int rank, rank_of(*this, device, candidates[i]));
    if (rank <= best_rank) continue;
    best = i;
    best_rank = rank;
  }
  return best;
}

std::vector<std::string> option_prefixes(const ProviderFactory& factory) {
  std::vector<std::string> prefixes;
  const auto add = [&](std::string_view name) { prefixes.push_back(ascii_lower(name)); };
  add(factory.name());
  for (std::string_view alias : factory.aliases()) add(alias);
  return prefixes;
}

}  // namespace ortc
