// SPDX-License-Identifier: MIT
// Making the providers of a session: see the header.
#include "core/session/session_providers.h"

#include <algorithm>

namespace ortc {
namespace {

// Options of one provider: those given with it, over "ep.<name>.<option>" of the session's entries.
KeyValues options_of(const ProviderFactory& factory, const KeyValues& given,
                     const KeyValues& entries) {
  KeyValues options;
  for (const std::string& prefix : option_prefixes(factory)) {
    const std::string begin = str_cat("ep.", prefix, ".");
    for (auto it = entries.lower_bound(begin); it != entries.end(); ++it) {
      if (!it->first.starts_with(begin)) break;
      options[it->first.substr(begin.size())] = it->second;
    }
  }
  for (const auto& [key, value] : given) options[key] = value;
  return options;
}

}  // namespace

std::vector<ExecutionProvider*> SessionProviders::list() const {
  std::vector<ExecutionProvider*> providers;
  providers.reserve(claiming.size());
  for (const SessionProvider& one : claiming) providers.push_back(one.provider.get());
  return providers;
}

std::string SessionProviders::names() const {
  std::string names;
  for (const SessionProvider& one : claiming) names += str_cat(one.factory->name(), ", ");
  return names + std::string(rest.factory->name());
}

Result<SessionProviders> make_providers(const Making& making) {
  SessionProviders made;
  const ProviderRegistry& registry = making.environment().providers();
  // Only options of providers, which no field holds.
  const KeyValues& entries = making.options().config;
  const auto make = [&](const std::shared_ptr<const ProviderFactory>& factory,
                        const KeyValues& given,
                        const EpDevices& devices) -> Result<SessionProvider> {
    KeyValues options = options_of(*factory, given, entries);
    const ProviderRequest request{devices, &making.options()};
    ASSIGN_OR_RETURN(auto provider, factory->make_for(request, options, making.logger()));
    return SessionProvider{factory, std::move(provider), std::move(options), devices};
  };
  for (const ProviderChoice& choice : making.options().providers) {
    if (choice.factory->role() == ProviderRole::kRest) {
      if (making.settings().disable_cpu_fallback) {
        return invalid_argument("session.disable_cpu_ep_fallback=1, but the provider '",
                                choice.factory->name(), "' was added explicitly");
      }
      ASSIGN_OR_RETURN(made.rest, make(choice.factory, choice.options, choice.devices));
      continue;
    }
    if (std::any_of(made.claiming.begin(), made.claiming.end(),
                    [&](const SessionProvider& one) { return one.factory == choice.factory; })) {
      return invalid_argument("provider '", choice.factory->name(), "' was added twice");
    }
    ASSIGN_OR_RETURN(SessionProvider one, make(choice.factory, choice.options, choice.devices));
    if (!making.context().compile_only) {
      RETURN_IF_ERROR_WHILE(one.provider->check_runs_here(), choice.factory->name());
    }
    made.claiming.push_back(std::move(one));
  }
  if (made.rest.provider == nullptr) {
    ASSIGN_OR_RETURN(made.rest, make(registry.find(registry.default_provider().name()), {}, {}));
  }
  return made;
}

}  // namespace ortc
