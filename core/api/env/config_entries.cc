// SPDX-License-Identifier: MIT
// Config entries: see the header.
#include "core/api/env/config_entries.h"

#include <algorithm>

#include "core/platform/pool/pool_settings.h"
#include "ort_c/config_keys.h"

namespace ortc::api {
namespace {

constexpr std::string_view kFactoryPrefix = "ep_factory.";
// How the names of execution providers end; programs for several machines use them in full.
constexpr std::string_view kFullNameEnd = "executionprovider";

const ProviderFactory* find_by_prefix(const Factories& factories, std::string_view prefix) {
  for (const auto& factory : factories) {
    const auto prefixes = option_prefixes(*factory);
    if (std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end()) return factory.get();
  }
  return nullptr;
}

// The option of a provider that may be here or not; empty for the keys of tables.
ProviderKey provider_key(std::string_view key) {
  return find_option(OptionScope::kSession, key) != nullptr ? ProviderKey{}
                                                            : split_provider_key(key);
}

// Options of a provider of this library are judged by it.
Status check_own_option(std::string_view key, std::string_view value) {
  const ProviderKey parts = provider_key(key);
  if (parts.option.empty()) return {};
  const Factories factories = built_in_providers();
  const ProviderFactory* factory = find_by_prefix(factories, parts.provider);
  if (factory == nullptr) return {};
  return factory->check_options({{std::string(parts.option), std::string(value)}});
}

// A key that nobody judges; or an empty text for a number or a word, which programs write for the
// default.
bool means_nothing(const OptionRow* row, std::string_view key, std::string_view value) {
  if (row == nullptr) return split_provider_key(key).option.empty();
  return value.empty() && !row->otherwise.empty() && !check_option(*row, value).is_ok();
}

// "; did you mean 'ep.aot.'?", or all there are.
std::string prefix_hint(std::string_view prefix, const Factories& factories) {
  std::vector<std::string> known;
  std::string all;
  for (const auto& factory : factories) {
    const auto prefixes = option_prefixes(*factory);
    for (auto own = prefixes.rbegin(); own != prefixes.rend(); ++own) {
      known.push_back(str_cat("ep.", *own, "."));
    }
    all += str_cat(all.empty() ? "; there are '" : ", '", known.back(), "'");
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string near = did_you_mean(str_cat("ep.", prefix, "."), names);
  return near.empty() ? all : near;
}

}  // namespace

Status check_entry_sizes(std::string_view key, std::string_view value) {
  if (key.empty()) return invalid_argument("Config key is empty: 'config_key' must name an entry");
  if (key.size() > kKeySizeMax) {
    return invalid_argument("Config key is longer than maximum length: ", kKeySizeMax, "; found ",
                            key.size(), " bytes");
  }
  if (value.size() > kValueSizeMax) {
    return invalid_argument("Config value is longer than maximum length: ", kValueSizeMax,
                            "; found ", value.size(), " bytes for '", key, "'");
  }
  return {};
}

bool is_known_env_key(std::string_view key) {
  return find_option(OptionScope::kEnvironment, key) != nullptr || key.starts_with(kFactoryPrefix);
}

std::string canonical_key(std::string_view key) {
  const ProviderKey parts = provider_key(key);
  if (!parts.option.empty()) {
    const Factories factories = built_in_providers();
    const ProviderFactory* factory = find_by_prefix(factories, parts.provider);
    if (factory != nullptr)
      return str_cat("ep.", option_prefixes(*factory).front(), ".", parts.option);
  }
  return std::string(key);
}

Status set_session_entry(ortc::SessionOptions& options, std::string_view key,
                         std::string_view value, UnknownKeys unknown) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  const std::string name = canonical_key(key);
  if (unknown == UnknownKeys::kKeep) {
    options.lenient = true;
    const OptionRow* row = find_option(OptionScope::kSession, name);
    if (means_nothing(row, name, value)) {
      if (row != nullptr) RETURN_IF_ERROR(options.set(name, row->otherwise));
      options.config.insert_or_assign(name, value);
      return {};
    }
  }
  RETURN_IF_ERROR(check_own_option(name, value));
  return options.set(name, value);
}

Status set_run_entry(ortc::RunOptions& options, std::string_view key, std::string_view value,
                     UnknownKeys unknown) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  const bool is_known = find_option(OptionScope::kRun, key) != nullptr;
  if (is_known || unknown == UnknownKeys::kRefuse) {
    RETURN_IF_ERROR(set_run_option(options.settings, key, value));
  }
  options.config.insert_or_assign(std::string(key), value);
  return {};
}

Status set_env_entry(EnvironmentSettings& settings, std::string_view key, std::string_view value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  // Options of plugin libraries: each judges its own when it is there.
  if (key.starts_with(kFactoryPrefix)) return {};
  return set_environment_option(settings, key, value);
}

Status check_dynamic_entry(std::string_view key, std::string_view value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  const OptionRow* row = find_option(OptionScope::kDynamic, key);
  return row != nullptr ? check_option(*row, value) : unknown_option(OptionScope::kDynamic, key);
}

Status check_session_entries(const ortc::SessionOptions& options, const Factories& factories) {
  for (const auto& [key, value] : options.config) {
    if (key == "session.intra_op_thread_affinities" && value.empty()) {
      return invalid_argument("Affinity string must not be empty: '", key, "' is set to nothing");
    }
    const std::string_view provider = provider_key(key).provider;
    if (provider.empty() || provider.ends_with(kFullNameEnd)) continue;
    if (find_by_prefix(factories, provider) != nullptr || options.lenient) continue;
    return invalid_argument("unknown session config key '", key,
                            "': the environment has no execution provider whose options begin ",
                            "with 'ep.", provider, ".'", prefix_hint(provider, factories));
  }
  return {};
}

void report_idle_keys(SharedEnvironment& shared, const KeyValues& config,
                      const Factories& factories) {
  if (config.empty()) return;
  std::vector<std::string> fresh;
  {
    const std::lock_guard lock(shared.mutex);
    for (const auto& [key, value] : config) {
      const OptionRow* row = find_option(OptionScope::kSession, key);
      if (row == nullptr) row = find_option(OptionScope::kRun, key);
      const std::string_view provider = provider_key(key).provider;
      const bool is_for_provider =
          !provider.empty() && find_by_prefix(factories, provider) != nullptr;
      if (is_for_provider || key.starts_with(kCustomOpPrefix) ||
          key == kOrtRunOptionsConfigCudaGraphAnnotation ||  // for providers that capture runs
          (row != nullptr && row->has_effect()))
        continue;
      if (!shared.reported_keys.insert(key).second) continue;
      fresh.push_back(str_cat("the key '", key,
                              row != nullptr ? "' is known but has no effect in this library"
                              : provider.empty()
                                  ? "' is unknown and ignored"
                                  : "' is ignored: its execution provider is not here"));
    }
  }
  for (const std::string& line : fresh) {
    ORTC_LOG(shared.environment->logger(), kWarning, "config", line);
  }
}

Status check_severity(std::string_view parameter, int severity) {
  if (severity >= ORT_LOGGING_LEVEL_VERBOSE && severity <= ORT_LOGGING_LEVEL_FATAL) return {};
  return invalid_argument("'", parameter, "' is ", severity,
                          ", expected a value of OrtLoggingLevel");
}

Status check_thread_count(std::string_view parameter, int count) {
  if (count >= 0 && count <= kThreadCountMax) return {};
  return invalid_argument("'", parameter, "' is ", count, ", expected 0 to ", kThreadCountMax);
}

Status check_not_negative(std::string_view parameter, int64_t number) {
  if (number >= 0) return {};
  return invalid_argument("'", parameter, "' is ", number, ", expected 0 or more");
}

}  // namespace ortc::api
