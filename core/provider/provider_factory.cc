// SPDX-License-Identifier: MIT
// Names of providers: see the header.
#include "core/provider/provider_factory.h"

#include <algorithm>

namespace ortc {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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

std::vector<std::string> option_prefixes(const ProviderFactory& factory) {
  std::vector<std::string> prefixes;
  const auto add = [&](std::string_view name) {
    std::string& prefix = prefixes.emplace_back(name);
    std::transform(prefix.begin(), prefix.end(), prefix.begin(), lower);
  };
  add(factory.name());
  for (std::string_view alias : factory.aliases()) add(alias);
  return prefixes;
}

}  // namespace ortc
