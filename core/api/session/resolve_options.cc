// SPDX-License-Identifier: MIT
// Options as the inside takes them: see the header.
#include "core/api/session/resolve_options.h"

#include "core/api/env/config_entries.h"
#include "core/api/session/ep_choice.h"

namespace ortc::api {
namespace {

// What chosen devices suggest, where the program set nothing.
Status add_suggestions(const std::vector<ChosenProvider>& chosen, ortc::SessionOptions& options) {
  for (const ChosenProvider& one : chosen) {
    for (const auto& device : one.devices) {
      const std::string prefix = option_prefixes(*device->factory).front();
      for (const auto& [key, value] : device->options) {
        const std::string entry = str_cat("ep.", prefix, ".", key);
        if (options.config.contains(entry)) continue;
        RETURN_IF_ERROR(set_session_entry(options, entry, value));
      }
    }
  }
  return {};
}

Result<std::vector<ChosenProvider>> chosen_of(const OrtSessionOptions& options,
                                              SharedEnvironment& shared,
                                              const ModelSource& source) {
  if (!options.chosen.empty() || !options.has_policy) return options.chosen;
  if (options.delegate != nullptr) return choose_by_delegate(options, shared, source);
  return choose_by_policy(options.policy, shared.environment->providers());
}

}  // namespace

Result<ortc::SessionOptions> resolve_options(const OrtSessionOptions* options,
                                             SharedEnvironment& shared, const ModelSource& source) {
  if (options == nullptr) return ortc::SessionOptions{};
  // A library that was unregistered since still serves those who chose its devices.
  Factories factories = shared.environment->providers().factories();
  for (const ChosenProvider& one : options->chosen) {
    if (!one.devices.empty()) factories.push_back(one.devices.front()->factory);
  }
  RETURN_IF_ERROR(check_session_entries(options->options, factories));
  ortc::SessionOptions resolved = options->options;
  ASSIGN_OR_RETURN(const std::vector<ChosenProvider> chosen, chosen_of(*options, shared, source));
  RETURN_IF_ERROR(add_suggestions(chosen, resolved));
  for (const ChosenProvider& one : chosen) {
    auto factory = one.devices.empty() ? shared.environment->providers().find(one.name)
                                       : one.devices.front()->factory;
    if (factory == nullptr) {
      return invalid_argument("the environment has no execution provider '", one.name, "'");
    }
    resolved.providers.push_back({std::move(factory), one.devices, {}});
  }
  ASSIGN_OR_RETURN(resolved.custom_operators, make_custom_operators(options->custom));
  ASSIGN_OR_RETURN(resolved.thread_hooks, options->thread_functions.hooks());
  report_idle_keys(shared, resolved.config, factories);
  for (const std::string& reason : options->left_out) {
    ORTC_LOG(shared.environment->logger(), kWarning, "config", "an option was ignored: ", reason);
  }
  return resolved;
}

}  // namespace ortc::api
