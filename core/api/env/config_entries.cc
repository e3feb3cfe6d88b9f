// SPDX-License-Identifier: MIT
// Config entries: see the header. The list of keys is made from ort_c/config_keys.h.
#include "core/api/env/config_entries.h"

#include <algorithm>

#include "core/context/context_options.h"

namespace ortc::api {
namespace {

enum class Scope { session, run, env, dynamic, metadata };

struct ConfigKey {
  Scope scope;
  std::string_view text;
};
#define ORTC_CONFIG_KEY(scope, text) {Scope::scope, text},
constexpr ConfigKey kConfigKeys[] = {
#include "core/api/env/config_key_list.inc"
};
#undef ORTC_CONFIG_KEY

// Session keys that are read somewhere. The others are for other machines or other libraries.
constexpr std::string_view kActiveKeys[] = {
    "ep.context_enable",
    "ep.context_file_path",
    "ep.context_embed_mode",
    "ep.context_node_name_prefix",
    "ep.context_model_external_initializers_file_name",
    "ep.enable_weightless",
    "ep.enable_weightless_ep_context_nodes",
    "session.disable_model_compile",
    "session.fail_on_suboptimal_compiled_model",
    "session.compile_only",
    "session.disable_cpu_ep_fallback",
    "session.disable_file_mapping",
    "session.record_ep_graph_assignment_info",
    "session.model_external_initializers_file_folder_path",
    "optimization.disable_specified_optimizers",
    "session.optimized_model_filepath",
    "session.optimized_model_external_initializers_file_name",
    "session.optimized_model_external_initializers_min_size_in_bytes",
    "session.save_model_format",
    "session.intra_op.allow_spinning",
    "session.intra_op.spin_duration_us",
    "session.use_env_allocators",
    "session.use_per_session_threads",
    "session.use_deterministic_compute",
    "session.enable_profiling",
    "memory.enable_memory_arena_shrinkage",
    "session.intra_op_num_threads",
    "session.inter_op_num_threads",
    "session.graph_optimization_level",
    "session.execution_mode",
    "session.enable_cpu_mem_arena",
    "session.enable_mem_pattern",
    "session.log_id",
    "session.log_severity_level",
    "session.log_verbosity_level",
};

// Keys that take "0" or "1" and that nobody else looks at when they are set.
constexpr std::string_view kFlagKeys[] = {
    "ep.enable_weightless",
    "ep.enable_weightless_ep_context_nodes",
    "ep.share_ep_contexts",
    "ep.stop_share_ep_contexts",
    "session.disable_cpu_ep_fallback",
    "session.record_ep_graph_assignment_info",
    "session.intra_op.allow_spinning",
    "session.inter_op.allow_spinning",
    "session.use_env_allocators",
};

constexpr std::string_view kFactoryPrefix = "ep_factory.";

bool is_among(std::string_view text, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_known(std::string_view key, Scope scope) {
  return std::ranges::any_of(kConfigKeys, [&](const ConfigKey& known) {
    return known.scope == scope && known.text == key;
  });
}

Status unknown_key(std::string_view what, std::string_view key, Scope scope) {
  std::vector<std::string_view> candidates;
  for (const ConfigKey& known : kConfigKeys) {
    if (known.scope == scope) candidates.push_back(known.text);
  }
  const std::string near = nearest_name(key, candidates);
  return invalid_argument("unknown ", what, " key '", key, "'",
                          near.empty() ? std::string() : str_cat("; did you mean '", near, "'?"));
}

// "ep.<provider>.<option>" in its parts; both empty for any other key.
struct ProviderKey {
  std::string_view provider, option;
};
ProviderKey split_provider_key(std::string_view key) {
  constexpr std::string_view kBegin = "ep.";
  if (!key.starts_with(kBegin)) return {};
  const std::string_view rest = key.substr(kBegin.size());
  const size_t dot = rest.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == rest.size()) return {};
  return {rest.substr(0, dot), rest.substr(dot + 1)};
}

const ProviderFactory* find_by_prefix(const std::vector<ProviderFactory>& factories,
                                      std::string_view prefix) {
  for (const ProviderFactory& factory : factories) {
    if (prefix == factory.option_prefix || prefix == factory.option_prefix_alias) return &factory;
  }
  return nullptr;
}

// Options of a provider that is here are judged by it. Those of others mean nothing here, but a
// program may name them for other machines.
Status check_provider_entry(const ProviderKey& parts, const std::string& key,
                            const std::string& value) {
  const std::vector<ProviderFactory> factories = built_in_providers();
  const ProviderFactory* factory = find_by_prefix(factories, parts.provider);
  if (factory != nullptr) {
    auto made = factory->make({{std::string(parts.option), value}}, Logger());
    return made.is_ok() ? Status() : std::move(made).status();
  }
  if (parts.provider.ends_with("executionprovider")) return {};
  std::string prefixes;
  for (const ProviderFactory& known : factories) {
    prefixes += str_cat(prefixes.empty() ? "" : ", ", "'ep.", known.option_prefix, ".'");
  }
  return invalid_argument("unknown session config key '", key,
                          "': no execution provider has options that begin with 'ep.",
                          parts.provider, ".'; there are ", prefixes);
}

}  // namespace

Status check_entry_sizes(std::string_view key, std::string_view value) {
  if (key.empty()) return invalid_argument("Config key is empty: 'config_key' must name an entry");
  if (key.size() > kKeySizeMax) {
    return invalid_argument("a config key may have ", kKeySizeMax, " bytes, found ", key.size());
  }
  if (value.size() > kValueSizeMax) {
    return invalid_argument("the value of a config entry may have ", kValueSizeMax,
                            " bytes, found ", value.size(), " for '", key, "'");
  }
  return {};
}

bool is_known_session_key(std::string_view key) {
  if (is_known(key, Scope::session) || is_known(key, Scope::dynamic)) return true;
  const ProviderKey parts = split_provider_key(key);
  return !parts.option.empty() && find_by_prefix(built_in_providers(), parts.provider) != nullptr;
}

bool is_known_run_key(std::string_view key) { return is_known(key, Scope::run); }
bool is_known_env_key(std::string_view key) {
  return is_known(key, Scope::env) || key.starts_with(kFactoryPrefix);
}

std::string canonical_key(std::string_view key) {
  const ProviderKey parts = split_provider_key(key);
  if (!parts.option.empty()) {
    const std::vector<ProviderFactory> factories = built_in_providers();
    const ProviderFactory* factory = find_by_prefix(factories, parts.provider);
    if (factory != nullptr) return str_cat("ep.", factory->option_prefix, ".", parts.option);
  }
  return std::string(key);
}

Status check_session_entry(const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  if (!is_known(key, Scope::session) && !is_known(key, Scope::dynamic)) {
    const ProviderKey parts = split_provider_key(key);
    if (parts.option.empty()) return unknown_key("session config", key, Scope::session);
    return check_provider_entry(parts, key, value);
  }
  if (is_among(key, kFlagKeys) && value != "0" && value != "1") {
    return invalid_argument("config '", key, "' is '", value, "', expected 0 or 1");
  }
  // What is no wrong text but cannot be done (an absolute path) is said when it shall be done.
  auto context = context_options_from({{key, value}});
  if (context.status().code() == Code::kInvalidArgument) return std::move(context).status();
  return {};
}

Status check_run_entry(const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  if (!is_known(key, Scope::run)) return unknown_key("run config", key, Scope::run);
  return {};
}

Status check_env_entry(const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  // Options of plugin libraries: each judges its own when it is there.
  if (key.starts_with(kFactoryPrefix)) return {};
  if (!is_known(key, Scope::env)) return unknown_key("environment", key, Scope::env);
  if (value != "0" && value != "1") {
    return invalid_argument("config '", key, "' is '", value, "', expected 0 or 1");
  }
  return {};
}

Status check_dynamic_entry(const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(check_entry_sizes(key, value));
  if (!is_known(key, Scope::dynamic)) return unknown_key("dynamic option", key, Scope::dynamic);
  if (key == "ep.dynamic.workload_type" && value != "Default" && value != "Efficient") {
    return invalid_argument("option '", key, "' is '", value, "', expected Default or Efficient");
  }
  return {};
}

Status set_session_entry(ortc::SessionOptions& options, std::string_view key,
                         std::string_view value) {
  const std::string name = canonical_key(key);
  RETURN_IF_ERROR(check_session_entry(name, std::string(value)));
  // A trial with this entry alone: an older entry must not undo a younger setter.
  ortc::SessionOptions trial = options;
  trial.config = {{name, std::string(value)}};
  RETURN_IF_ERROR(apply_config(trial));
  trial.config = std::move(options.config);
  trial.config[name] = value;
  options = std::move(trial);
  return {};
}

void report_idle_keys(SharedEnvironment& shared, const KeyValues& config) {
  if (config.empty()) return;
  std::vector<std::string_view> fresh;
  {
    const std::lock_guard lock(shared.mutex);
    for (const auto& [key, value] : config) {
      const bool is_provider_option = !split_provider_key(canonical_key(key)).option.empty() &&
                                      !is_known(key, Scope::session) &&
                                      !is_known(key, Scope::dynamic);
      if (is_provider_option || is_among(key, kActiveKeys)) continue;
      if (shared.reported_keys.insert(key).second) fresh.push_back(key);
    }
  }
  for (std::string_view key : fresh) {
    const bool known =
        std::ranges::any_of(kConfigKeys, [&](const ConfigKey& one) { return one.text == key; });
    ORTC_LOG(shared.environment->logger(), kWarning, "config", "the key '", key,
             known ? "' is known but has no effect in this library" : "' is unknown and ignored");
  }
}

Status check_severity(std::string_view parameter, int severity) {
  if (severity >= ORT_LOGGING_LEVEL_VERBOSE && severity <= ORT_LOGGING_LEVEL_FATAL) return {};
  return invalid_argument("'", parameter, "' is ", severity,
                          ", expected a value of OrtLoggingLevel");
}

Status check_not_negative(std::string_view parameter, int64_t number) {
  if (number >= 0) return {};
  return invalid_argument("'", parameter, "' is ", number, ", expected 0 or more");
}

}  // namespace ortc::api
